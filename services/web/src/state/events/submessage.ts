import type { SubmessageEvent } from '../../api/schema'
import type { State } from '../state'

/** A message got a part, such as a vote. */
export function submessage(state: State, event: SubmessageEvent): void {
  const { submessage_id: id, message_id, sender_id, msg_type, content } = event
  state.change(message_id, (message) => ({
    ...message,
    submessages: [...message.submessages.filter((s) => s.id !== id), { id, message_id, sender_id, msg_type, content }],
  }))
}
