import type { SubscriptionPeerAddEvent, SubscriptionPeerRemoveEvent } from '../../api/schema'
import { without, type State } from '../state'

/** Somebody else was subscribed to a stream, or unsubscribed. */
export function subscriptionPeer(state: State, event: SubscriptionPeerAddEvent | SubscriptionPeerRemoveEvent): void {
  member(state, event.stream_id, event.user_id, event.op === 'peer_add')
}

/** Notes whether somebody is subscribed to a stream, where it is known who is. */
export function member(state: State, stream: number, user: number, subscribed: boolean): void {
  const members = state.members.value.get(stream)
  if (members !== undefined) {
    const changed = subscribed ? new Set([...members, user]) : without(members, new Set([user]))
    state.members.value = new Map(state.members.value).set(stream, changed)
  }
}
