import { signal } from '@preact/signals'
import { textNow } from '../text/text'
import { goneOf } from './gone'
import type { Calls } from './schema'
import { compose, send } from './wire'

/** A call that the server refused, or that never reached it. */
export class CallError extends Error {
  /** The status of the answer; 0: there was none. */
  readonly status: number
  /** The code of the answer, such as BAD_EVENT_QUEUE_ID; empty: none. */
  readonly code: string
  /** How many seconds to wait before the next try; 0: the server didn't say. */
  readonly wait: number
  /** The parameter that was refused; empty: the server didn't say. */
  readonly field: string
  /** All that the server answered. */
  readonly answer: Readonly<Record<string, unknown>>

  constructor(message: string, status: number, code: string, wait: number, field = '', answer: Readonly<Record<string, unknown>> = {}) {
    super(message)
    this.name = 'CallError'
    this.status = status
    this.code = code
    this.wait = wait
    this.field = field
    this.answer = answer
  }

  /** The same with the message in English, as the interface declares it, for who looks what it is about. */
  get declared(): CallError {
    const message = this.answer['untranslated'] ?? this.answer['msg']
    return typeof message === 'string' ? new CallError(message, this.status, this.code, this.wait, this.field, this.answer) : this
  }

  /** Whether the same call may succeed later: the server wasn't reached, was busy, or is starting. */
  get passes(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500
  }
}

/** Returns the error of a call without an answer. */
export function unreachable(): CallError {
  return new CallError(textNow()?.unreachable ?? '', 0, '', 0) // nobody reads it before there are words
}

/** Returns the error of a call that something else answered, as networks and proxies do that want people to sign in first. */
export function intercepted(): CallError {
  return new CallError(textNow()?.intercepted ?? '', 0, '', 0)
}

/** Whether the server has refused a call since the browser is signed in to another account than this page shows. */
export const isOutdated = signal(false)

/** The code of such a refusal. */
const otherAccount = 'OTHER_ACCOUNT'

/** The calls under way that change something, by what they ask for. */
const underWay = new Map<string, Promise<unknown>>()

/**
 * Makes a call of the interface, with the session of this browser. Parameters go as the interface wants them: strings as they are,
 * everything else as JSON. It throws a CallError. A change that is asked for again before there is an answer is made once: whoever presses
 * a button twice on a bad line means it once.
 */
export async function call<Name extends keyof Calls>(
  name: Name,
  params: Calls[Name]['params'],
  options: { readonly signal?: AbortSignal; readonly keepalive?: boolean } = {},
): Promise<Calls[Name]['reply']> {
  const { method, address, body } = compose(name, params as Readonly<Record<string, unknown>>)
  const make = async () => replyOf<Name>(await ask(address, { method, body: body ?? null, ...options }))
  if (body === undefined || options.signal !== undefined) {
    return make()
  }
  const what = `${method} ${address} ${body}`
  const same = underWay.get(what) as ReturnType<typeof make> | undefined
  if (same !== undefined) {
    return same
  }
  const made = make().finally(() => underWay.delete(what))
  underWay.set(what, made)
  return made
}

/** Reads the response to a call. It throws a CallError if that is a refusal. */
export async function replyOf<Name extends keyof Calls>(response: Response): Promise<Calls[Name]['reply']> {
  const answer = parsed(await read(response))
  if (!response.ok || !isObject(answer)) {
    throw refusal(response, answer)
  }
  return answer as Calls[Name]['reply']
}

/** Reads an answer. One that breaks off is none. */
async function read(response: Response): Promise<string> {
  try {
    return await response.text()
  } catch (error) {
    throw failure(error)
  }
}

/** Returns what an answer is; undefined: it isn't JSON, and so not the server's. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Returns the header that says in which language the server is to say what it refuses. */
export function spoken(): Readonly<Record<string, string>> {
  const language = textNow()?.locale
  return language === undefined ? {} : { 'Accept-Language': language }
}

/** send, with the error of this package. */
export async function ask(address: string, options: RequestInit & { readonly headers?: Readonly<Record<string, string>> }): Promise<Response> {
  try {
    return await send(address, { ...options, headers: { ...options.headers, ...spoken() } })
  } catch (error) {
    throw failure(error)
  }
}

/** Returns what a call fails with that was given up, or that the network failed. */
function failure(error: unknown): unknown {
  return error instanceof DOMException && error.name === 'AbortError' ? error : unreachable()
}

/** Returns the error for an answer that isn't a success. */
export function refusal(response: Response, answer: unknown): CallError {
  return refusalOf(response.status, response.headers.get('Retry-After'), answer)
}

/** Returns the error for an answer that isn't a success, by its status and the header Retry-After. Notes if it says that the page is outdated. */
export function refusalOf(status: number, later: string | null, answer: unknown): CallError {
  const of = isObject(answer) ? answer : {}
  if (status < 300 || (status === 401 && of['result'] !== 'error')) { // a proxy's 401 doesn't mean that nobody is signed in here
    return intercepted()
  }
  const nobody = status >= 502 && status <= 504 ? textNow()?.unreachable : textNow()?.otherAnswer(status) // a proxy says that, and not the server
  const said = typeof of['msg'] === 'string' && of['msg'] !== '' ? of['msg'] : (nobody ?? '')
  const text = goneOf(String(of['untranslated'] ?? said)) ?? said
  const wait = Number(of['retry-after'] ?? later ?? 0)
  const named = (key: string) => (typeof of[key] === 'string' ? of[key] : '')
  if (named('code') === otherAccount) {
    isOutdated.value = true
  }
  return new CallError(text, status, named('code'), Number.isFinite(wait) ? wait : 0, named('var_name'), of)
}

/** Returns a text as parameters want it that are JSON, with its quotes. */
export function quoted(text: string): string {
  return JSON.stringify(text)
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
