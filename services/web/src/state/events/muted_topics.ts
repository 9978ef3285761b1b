import type { MutedTopicsEvent } from '../../api/schema'
import { mutedOf, type State } from '../state'

/** The account's muted topics changed; the event has all of them. */
export function mutedTopics(state: State, event: MutedTopicsEvent): void {
  state.mutedTopics.value = mutedOf(event.muted_topics)
}
