import type { DefaultStreamGroupsEvent, DefaultStreamsEvent } from '../../api/schema'
import type { State } from '../state'

/** Other streams are those of new accounts; the event has all of them. */
export function defaultStreams(state: State, event: DefaultStreamsEvent): void {
  state.organization.defaultStreams.value = new Set(event.default_streams.map((s) => s.stream_id))
}

/** The groups of default streams changed; the event has all of them. */
export function defaultStreamGroups(state: State, event: DefaultStreamGroupsEvent): void {
  state.organization.streamGroups.value = event.default_stream_groups
}
