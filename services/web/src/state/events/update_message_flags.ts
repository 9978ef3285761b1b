import type { UpdateMessageFlagsEvent } from '../../api/schema'
import { isHistory } from '../model'
import { mayGainBy } from '../narrow'
import { without, type State } from '../state'

/** Flags of messages changed: somebody has read or starred them in one of their clients. */
export function updateMessageFlags(state: State, event: UpdateMessageFlagsEvent): void {
  if (event.flag === 'read' && event.operation === 'remove') { // the event has all that the client named, also what the server left as it was
    change(state, { ...event, messages: event.messages.filter((id) => !isHistory(state.message(id)?.peek())) })
  } else {
    change(state, event)
  }
}

function change(state: State, event: UpdateMessageFlagsEvent): void {
  const on = event.operation === 'add'
  state.flag(event.all ? 'all' : event.messages, event.flag, on)
  if (event.flag === 'read') {
    read(state, event, on)
  }
  if (event.flag === 'starred') {
    const these = new Set(event.messages)
    state.starred.value = on ? new Set([...state.starred.value, ...these]) : without(state.starred.value, these)
  }
  if (event.flag === 'read' && on) {
    return // a search for unread messages keeps those that are read while it is on screen: else the next ones would take their place, be seen, and go, too
  }
  for (const id of event.messages) {
    state.place(id)
  }
  if (on) {
    state.gain((narrow) => mayGainBy(narrow, [event.flag]), event.messages)
  }
}

function read(state: State, event: UpdateMessageFlagsEvent, on: boolean): void {
  if (event.all) {
    state.unread.clear()
    state.mentions.value = new Set()
    return
  }
  if (on) {
    state.unread.remove(event.messages)
    state.mentions.value = without(state.mentions.value, new Set(event.messages))
    return
  }
  for (const id of event.messages) { // where those are that were never fetched, another registration says
    const message = state.message(id)?.peek()
    if (message !== undefined) {
      state.unread.add(state.placeOf(message), [id])
      state.mention(id, message.flags)
    }
  }
}
