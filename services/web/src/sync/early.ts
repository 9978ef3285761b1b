import { compose, send } from '../api/wire'
import { registration } from './registration'

// This is a script of its own, which runs while the rest of the page is still on its way: the page's first registration takes about as
// long as that.
const { method, address, body } = compose('POST /register', { ...registration })
let first: Promise<Response | undefined> = send(address, { method, body: body ?? null }).catch(() => undefined)

/** Returns the response to the page's first registration, once; undefined: there is none, or it was returned before. */
export function early(): Promise<Response | undefined> {
  const response = first
  first = Promise.resolve(undefined)
  return response
}
