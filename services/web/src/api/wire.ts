/** What this client is called: one in which people read (rest-api.md, section 1.8), so that what they send is read by them. */
export const client = 'website'

/** The account that this page shows; undefined: none yet. */
let shown: number | undefined

/**
 * Has all requests from now on say which account this page shows, so that none is carried out for another one that somebody has signed in
 * to in another window. undefined: they are for whichever is signed in.
 */
export function speakFor(account: number | undefined): void {
  shown = account
}

/**
 * Returns headers of a request. They say that a script makes it, so that nothing has the browser ask its user for a password (with TLS
 * browsers say so themselves), and for which account.
 */
export function ofPage(): Readonly<Record<string, string>> {
  return { 'X-Requested-With': 'fetch', ...(shown === undefined ? {} : { 'X-Account-Id': String(shown) }) }
}

/** How long an answer may take to begin, in milliseconds: a network that is gone can look for minutes as if the server was about to answer. */
const patience = 30_000

/** The same of a call with a password: where all processors are busy, the server waits for its turn and then for the hash. A caller that doesn't wait until it answers, if only that it is busy, has it begin again. */
const patienceWithPassword = 90_000

/**
 * By how much this device's clock may differ from the server's without being wrong, in milliseconds: answers say the time in whole seconds.
 * Who reports that they are there does so for 140 s, so that little more would show them as away.
 */
const tolerance = 5_000

/** By how much the server's clock was ahead of this device's when it answered last, in milliseconds. */
let ahead = 0

/** Returns the server's time, in milliseconds of Unix time: its limits and what it says of people are by that, and the clocks of devices may be wrong. */
export function serverTime(): number {
  return Date.now() + ahead
}

/** Compares the clocks: what was asked at a time was answered between that and now, however long the answer took to arrive. */
function setClock(asked: number, date: string | null): void {
  const answered = Date.parse(date ?? '')
  const by = answered < asked ? answered - asked : Math.max(0, answered - Date.now())
  ahead = Math.abs(by) > tolerance ? by : 0 // what isn't a time is none
}

/** fetch, with the session of this browser. It fails where no answer begins for too long, unless a file is on its way. */
export async function send(address: string, options: RequestInit & { readonly headers?: Readonly<Record<string, string>> }): Promise<Response> {
  const late = new AbortController()
  const timer = options.body instanceof FormData ? undefined : setTimeout(() => late.abort(new DOMException('', 'TimeoutError')), hasPassword(options.body) ? patienceWithPassword : patience)
  const signal = AbortSignal.any(options.signal == null ? [late.signal] : [late.signal, options.signal])
  const asked = Date.now()
  try {
    const response = await fetch(address, { credentials: 'same-origin', cache: 'no-store', ...options, headers: { ...options.headers, ...ofPage() }, signal })
    setClock(asked, response.headers.get('Date'))
    return response
  } finally {
    clearTimeout(timer)
  }
}

/** Reports whether a call has the server compute the hash of a password. */
function hasPassword(body: unknown): boolean {
  return body instanceof URLSearchParams && ['password', 'old_password', 'new_password'].some((name) => body.has(name))
}

/** Returns what a call is on the wire. Of the path, the parameters in braces are filled in. */
export function compose(name: string, params: Readonly<Record<string, unknown>>): { method: string; address: string; body?: URLSearchParams } {
  const [method = '', route = ''] = name.split(' ')
  const rest = new URLSearchParams(method === 'GET' ? {} : { client })
  const inPath = new Map<string, string>()
  for (const [key, value] of Object.entries(params)) {
    if (value === undefined) {
      continue
    }
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    if (route.includes(`{${key}}`)) {
      inPath.set(key, text)
    } else {
      rest.set(key, text)
    }
  }
  const path = '/api/v1' + route.replace(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(inPath.get(key) ?? ''))
  if (method === 'GET') {
    return { method, address: rest.size === 0 ? path : `${path}?${rest.toString()}` }
  }
  return { method, address: path, body: rest }
}
