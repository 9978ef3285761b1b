import type { DeleteMessageEvent } from '../../api/schema'
import type { State } from '../state'

/** Messages were deleted. */
export function deleteMessage(state: State, event: DeleteMessageEvent): void {
  state.drop(event.message_ids ?? (event.message_id === undefined ? [] : [event.message_id]))
}
