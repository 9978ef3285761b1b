import type { SubscriptionAddEvent, SubscriptionRemoveEvent, SubscriptionUpdateEvent } from '../../api/schema'
import type { Subscription } from '../model'
import type { State } from '../state'
import { member } from './subscription_peer'

/** The account was subscribed to streams. */
export function subscriptionAdd(state: State, event: SubscriptionAddEvent): void {
  const subscriptions = new Map(state.subscriptions.value)
  const streams = new Map(state.streams.value)
  const members = new Map(state.members.value)
  for (const { subscribers, ...one } of event.subscriptions) {
    subscriptions.set(one.stream_id, one)
    streams.set(one.stream_id, one)
    if (members.has(one.stream_id) && subscribers !== undefined) {
      members.set(one.stream_id, new Set(subscribers)) // of private streams there were no events
    }
    state.follow(one.stream_id)
  }
  state.members.value = members
  state.subscriptions.value = subscriptions
  state.streams.value = streams
}

/** The account was unsubscribed. The streams stay known: their messages may be on screen. */
export function subscriptionRemove(state: State, event: SubscriptionRemoveEvent): void {
  const subscriptions = new Map(state.subscriptions.value)
  for (const one of event.subscriptions) {
    subscriptions.delete(one.stream_id)
    member(state, one.stream_id, state.self.value, false)
  }
  state.subscriptions.value = subscriptions
}

/** A setting of a subscription changed. */
export function subscriptionUpdate(state: State, event: SubscriptionUpdateEvent): void {
  const subscription = state.subscriptions.value.get(event.stream_id)
  if (subscription !== undefined) {
    const changed = event.property === 'in_home_view' ? { in_home_view: event.value, is_muted: !event.value } : { [event.property]: event.value }
    state.subscriptions.value = new Map(state.subscriptions.value).set(event.stream_id, { ...subscription, ...changed } as Subscription)
  }
}
