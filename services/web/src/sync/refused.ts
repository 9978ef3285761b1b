import { CallError } from '../api/request'
import type { State } from '../state/state'
import { text } from '../text/text'

/** The stream that a refusal names by its number, in the words that the interface declares. */
const numbered = /\bstream\b[a-z ]* id:? '?(\d+)|^Not authorized to send to stream '(\d+)'/i

/** Returns a refusal in words for people: it says the name of the stream in place of its number, which nobody knows. */
export function named(error: CallError, state: State): CallError {
  const [, id, other] = numbered.exec(error.declared.message) ?? []
  const stream = Number(id ?? other)
  return Number.isNaN(stream) ? error : new CallError(text.noSuchStream(`#${state.streamName(stream)}`), error.status, error.code, error.wait, error.field, error.answer)
}

/** What the interface declares to say to somebody whose account is deactivated. */
const deactivated = 'Account is deactivated'

/** Reports whether a call was refused since the account is deactivated. */
export function isOfDeactivated(error: CallError): boolean {
  return error.declared.message === deactivated
}
