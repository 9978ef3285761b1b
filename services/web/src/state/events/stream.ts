import type { StreamCreateEvent, StreamDeleteEvent, StreamUpdateEvent } from '../../api/schema'
import type { State } from '../state'

/** Streams were made, or can be seen now. */
export function streamCreate(state: State, event: StreamCreateEvent): void {
  const streams = new Map(state.streams.value)
  for (const one of event.streams) {
    streams.set(one.stream_id, { ...one, stream_weekly_traffic: null })
  }
  state.streams.value = streams
}

/** Streams are gone, or can't be seen any more. */
export function streamDelete(state: State, event: StreamDeleteEvent): void {
  const streams = new Map(state.streams.value)
  const subscriptions = new Map(state.subscriptions.value)
  const members = new Map(state.members.value)
  for (const one of event.streams) {
    state.keepName(one.stream_id, state.streamName(one.stream_id))
    streams.delete(one.stream_id)
    subscriptions.delete(one.stream_id)
    members.delete(one.stream_id)
  }
  state.members.value = members
  state.streams.value = streams
  state.subscriptions.value = subscriptions
}

/** A property of a stream changed, such as its name. */
export function streamUpdate(state: State, event: StreamUpdateEvent): void {
  const changed = {
    [event.property]: event.value,
    ...(event.rendered_description === undefined ? {} : { rendered_description: event.rendered_description }),
    ...(event.history_public_to_subscribers === undefined ? {} : { history_public_to_subscribers: event.history_public_to_subscribers }),
  }
  const stream = state.streams.value.get(event.stream_id)
  if (stream !== undefined) {
    state.streams.value = new Map(state.streams.value).set(event.stream_id, { ...stream, ...changed })
  }
  const subscription = state.subscriptions.value.get(event.stream_id)
  if (subscription !== undefined) {
    state.subscriptions.value = new Map(state.subscriptions.value).set(event.stream_id, { ...subscription, ...changed })
  }
}
