import { compose, send } from '../api/wire'
import { destinationOf } from '../state/address'
import { languages } from '../text/languages'
import { languageOf } from './language'
import { openingOf } from './opening'
import { registration } from './registration'

// This is a script of its own, which runs while the rest of the page is still on its way, and asks for what that is going to need: the page's
// first registration, which takes about as long as that, the language, and the messages that the page's address leads to. Whatever changes
// these comes to the queue of the registration, which is there as soon as that is answered: they need not wait until all of the answer has
// arrived and the page is made of it.

/** The responses on their way, by the addresses of their calls. */
const asked = new Map<string, Promise<Response | undefined>>()

const { method, address, body } = compose('POST /register', { ...registration })
const registered = send(address, { method, body: body ?? null }).catch(() => undefined)
asked.set(address, registered)
if ('document' in globalThis) { // there is none where parts of the client are tested
  void languages[languageOf(undefined)]?.load().catch(() => {}) // the page says what is wrong, if it still is
  askForMessages()
}

function askForMessages(): void {
  const to = destinationOf(location.hash)
  // The address of a group names the account itself, which isn't known yet.
  if (to === undefined || to.recent || to.narrow.some((term) => term.operator === 'pm-with' && term.operand.length !== 1)) {
    return
  }
  const messages = compose('GET /messages', { ...openingOf(to, 0) }).address
  asked.set(messages, registered.then((response) => (response?.ok ? send(messages, { method: 'GET' }) : undefined)).catch(() => undefined))
}

/** Returns the response to a call that was made early, once; undefined: there is none. */
export async function early(address: string): Promise<Response | undefined> {
  const response = asked.get(address)
  asked.delete(address)
  return response
}

/** Forgets the responses that nobody wanted until now. */
export function forgetEarly(): void {
  asked.clear()
}
