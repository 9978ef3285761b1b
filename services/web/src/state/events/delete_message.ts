import type { DeleteMessageEvent } from '../../api/schema'
import type { State } from '../state'

/** Messages were deleted. */
export function deleteMessage(state: State, event: DeleteMessageEvent): void {
  const ids = event.message_ids ?? (event.message_id === undefined ? [] : [event.message_id])
  state.drop(ids)
  if (event.stream_id !== undefined && event.topic !== undefined) {
    state.leave(event.stream_id, event.topic, ids, false)
  }
}
