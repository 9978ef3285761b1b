import type { MessageEvent } from '../../api/schema'
import { messageOf } from '../model'
import type { State } from '../state'

/** A message was sent to the account. */
export function message(state: State, event: MessageEvent): void {
  const arrived = messageOf({ ...event.message }, event.flags, event.local_message_id)
  state.keep(arrived)
  if (!event.flags.includes('read')) {
    state.unread.add(state.placeOf(arrived), [arrived.id])
  }
  state.mention(arrived.id, event.flags)
  state.touch(state.placeOf(arrived), arrived.id)
  state.place(arrived.id)
  state.tidy()
}
