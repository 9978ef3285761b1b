import { signal } from '@preact/signals'
import { CallError } from '../api/request'
import { serverTime } from '../api/wire'
import { keyOf, type Place } from '../state/conversation'
import { textNow } from '../text/text'
import { pauseAfter, type Backoff } from './backoff'
import type { Store } from './storage'

/** A message that is on its way. */
export interface Pending {
  /** What the client calls it. */
  readonly localID: string
  readonly place: Place
  readonly content: string
  /** When it was written by the server's clock, in Unix seconds: it is shown among times of the server's. */
  readonly time: number
  /** The newest message that was known then. */
  readonly after: number
  /** The window that it was written in. */
  readonly window?: string
  /** Why it wasn't sent; undefined: it is under way. */
  readonly failed?: string
  /** Whether it is tried again by itself. */
  readonly waits?: boolean
  /** Since when the server fails at storing it, though it answers, in Unix seconds; undefined: it doesn't. */
  readonly failsSince?: number
}

/** Why a message has to be tried again. */
interface Delay {
  /** How many seconds to wait at least. */
  readonly wait: number
  /** Whether the server failed at it, so that those of other conversations needn't wait. */
  readonly alone: boolean
}

/** What an outbox needs of the server. */
export interface Post {
  /** Sends a message, and returns its number. */
  readonly send: (pending: Pending) => Promise<number>
  /** Returns the own messages of a place that came after one, as they were written. */
  readonly own: (place: Place, after: number) => Promise<readonly { readonly id: number; readonly content: string }[]>
  /** Fetches a message that no event brought. */
  readonly fetch: (id: number) => Promise<void>
  /** Hears of a message that was sent, and whose event didn't come. */
  readonly missed: (place: Place) => void
  /** Returns the newest message that is known. */
  readonly newest: () => number
}

/** How long the event of a message may come after the reply, in milliseconds. */
const patience = 5_000

/** How long a page that is left may still look open to the one that comes in its place, in milliseconds. */
const closing = 3_000

/** The pauses before what failed is tried again. */
const backoff: Backoff = { first: 2_000, longest: 10_000 }

/** For how long a message is tried again by itself, in seconds: later, it may no longer be wanted. */
const longestWait = 3_600

/** For how long a message is tried again by itself that the server fails to store, in seconds: those that follow in its conversation wait as long. */
const longestFailing = 60

/**
 * Sends messages, and shows them meanwhile. If the server can't be reached, they are tried again in their order, by themselves. The
 * server may have one of them although there was no reply, so it is asked before. A message at which the server fails holds back those of its
 * own conversation alone, and for a minute if the server answers otherwise. What is refused, or fails for longer, stays until it is sent again
 * or discarded, even if the page is left.
 */
export class Outbox {
  readonly pending = signal<readonly Pending[]>([])

  private readonly store: Store
  private readonly server: Post
  private readonly locks: LockManager | undefined
  /** The name of this window among those of the browser. */
  private readonly window = `${Date.now()}.${Math.random()}`
  /** Give up the locks that are held. */
  private readonly releases: (() => void)[] = []
  /** The messages that are known to be some of these: another one can have the same words. */
  private readonly arrived = new Set<number>()
  /** The messages that are, or were, of this window. */
  private readonly own = new Set<string>()
  /** The messages that were never on their way: the server can't have them. */
  private readonly fresh = new Set<string>()
  private count = 0
  private failures = 0
  private busy = false
  private timer: ReturnType<typeof setTimeout> | undefined
  private ended = false

  /** locks say which windows are open; undefined: the browser doesn't say that. */
  constructor(store: Store, server: Post, locks: LockManager | undefined) {
    this.store = store
    this.server = server
    this.locks = locks
    void this.hold(this.window, () => {})
  }

  /**
   * Brings back what was left when windows were. What one has that is open is its own business; where that can't be known, all of it comes
   * back. So another window may have it, too, and nothing is tried again by itself.
   */
  restore(): void {
    for (const window of new Set(this.kept().map(windowOf))) {
      void this.hold(window, () => {
        const left = this.kept().filter((p) => windowOf(p) === window)
        this.set([...left.map(({ waits: _, ...p }) => ({ ...p, after: p.after ?? 0, failed: p.failed ?? textNow()?.sentUnknown ?? '' })), ...this.pending.peek()])
      })
    }
  }

  /** Does something if no other window has the lock of a window, and holds that until the end: it goes with whoever holds it, even by a crash. */
  private async hold(window: string, got: () => void): Promise<void> {
    if (this.locks === undefined) {
      got()
      return
    }
    const signal = AbortSignal.timeout(closing)
    try {
      await this.locks.request(`chat/outbox/${window}`, { signal }, () => {
        if (this.ended) {
          return undefined
        }
        got()
        return new Promise<void>((release) => this.releases.push(release))
      })
    } catch {
      if (!signal.aborted) {
        got() // the browser forbids locks
      }
    }
  }

  /** Sends nothing more by itself: the account is signed out, and the session may be that of another one. What waits stays kept for the next time. */
  end(): void {
    this.ended = true
    clearTimeout(this.timer)
    this.releases.forEach((release) => release())
  }

  /** Sends a message, after those that are under way or wait: on a bad line it would overtake them. */
  send(place: Place, content: string): void {
    const localID = `${Date.now()}.${this.count++}`
    this.fresh.add(localID)
    this.set([...this.pending.peek(), { localID, place, content, time: now(), after: this.server.newest(), window: this.window, waits: true }])
    this.hurry()
  }

  /** Sends a message that failed once more. */
  again(localID: string): void {
    this.change(localID, ({ failed: _, failsSince: __, ...pending }) => ({ ...pending, time: now(), waits: true }))
    this.hurry()
  }

  /** Tries again what waits: the server may be there again. */
  hurry(): void {
    clearTimeout(this.timer)
    void this.resend()
  }

  /** Forgets a message: nobody wants it any more, or it has arrived with a number. */
  drop(localID: string, id?: number): void {
    if (this.has(localID)) {
      this.set(this.pending.peek().filter((p) => p.localID !== localID))
      if (id !== undefined) {
        this.arrived.add(id)
      }
    }
  }

  /** Sends what waits, one after the other, until the server can't be reached again. What follows a message in its conversation waits for that. */
  private async resend(): Promise<void> {
    if (this.busy) {
      return
    }
    this.busy = true
    const delays = new Map<string, Delay>() // by conversation
    let delay: Delay | undefined
    for (let next = this.waiting(delays); next !== undefined && delay?.alone !== false; next = this.waiting(delays)) {
      if (now() - next.time > longestWait) {
        this.change(next.localID, ({ waits: _, ...pending }) => pending)
        continue
      }
      delay = await (this.fresh.delete(next.localID) ? this.post(next) : this.resolve(next))
      if (delay !== undefined) {
        delays.set(keyOf(next.place), delay)
      }
    }
    this.busy = false
    if (delays.size === 0) {
      this.failures = 0
    } else {
      this.later(Math.max(...[...delays.values()].map(({ wait }) => wait)))
    }
  }

  /** Tries again what waits after some seconds at least. */
  private later(wait: number): void {
    clearTimeout(this.timer)
    this.timer = setTimeout(() => void this.resend(), pauseAfter(backoff, this.failures++, wait))
  }

  /** Finds out whether the server has a message, and sends it if not. Returns why it has to be tried again; undefined: it hasn't. */
  private async resolve(pending: Pending): Promise<Delay | undefined> {
    const { localID, place, content, after } = pending
    let found: number | undefined
    try {
      found = (await this.server.own(place, after)).find((one) => one.id > after && !this.arrived.has(one.id) && one.content.trim() === content.trim())?.id
    } catch (error) {
      return this.fail(localID, error, false)
    }
    if (this.ended || !this.has(localID)) { // its event came, or it was discarded
      return undefined
    }
    if (found === undefined) {
      return this.post(pending)
    }
    await this.server.fetch(found).catch(() => {}) // it is there, whoever sees it
    this.drop(localID, found)
    return undefined
  }

  /** Sends a message. Returns why it has to be tried again; undefined: it hasn't. */
  private async post(pending: Pending): Promise<Delay | undefined> {
    const { localID } = pending
    this.change(localID, ({ failed: _, waits: __, ...rest }) => rest)
    try {
      const id = await this.server.send(pending)
      this.arrived.add(id)
      setTimeout(() => void this.complete(localID, id), patience)
      return undefined
    } catch (error) {
      return this.fail(localID, error, true)
    }
  }

  /** Shows a message that was sent, if no event did so. */
  private async complete(localID: string, id: number): Promise<void> {
    const sent = this.pending.peek().find((p) => p.localID === localID)
    if (sent !== undefined) {
      this.server.missed(sent.place)
      await this.server.fetch(id).catch(() => {}) // whoever opens its conversation sees it
      this.drop(localID)
    }
  }

  /** Notes why a message wasn't sent, or, before that, not found. Returns why it has to be tried again; undefined: that wouldn't help. */
  private fail(localID: string, error: unknown, sent: boolean): Delay | undefined {
    if (!(error instanceof CallError)) {
      throw error
    }
    const alone = error.status >= 500
    let waits = error.passes
    this.change(localID, ({ waits: _, failsSince, ...pending }) => {
      const since = sent && alone ? { failsSince: failsSince ?? now() } : {}
      waits &&= now() - (since.failsSince ?? now()) <= longestFailing
      return { ...pending, ...since, failed: error.message, ...(waits ? { waits } : {}) }
    })
    return waits ? { wait: error.wait, alone } : undefined
  }

  /** The next message that waits, and before which none does in a conversation that is delayed. */
  private waiting(delays: ReadonlyMap<string, unknown>): Pending | undefined {
    return this.ended ? undefined : this.pending.peek().find((p) => p.waits && !delays.has(keyOf(p.place)))
  }

  private has(localID: string): boolean {
    return this.pending.peek().some((p) => p.localID === localID)
  }

  private change(localID: string, how: (pending: Pending) => Pending): void {
    this.set(this.pending.peek().map((p) => (p.localID === localID ? how(p) : p)))
  }

  private set(pending: readonly Pending[]): void {
    this.pending.value = pending
    pending.forEach(({ localID }) => this.own.add(localID))
    const others = this.kept().filter(({ localID }) => !this.own.has(localID)) // of other windows
    const all = [...others, ...pending]
    this.store.write('outbox', all.length === 0 ? undefined : all)
  }

  private kept(): readonly Pending[] {
    return this.store.read<readonly Pending[]>('outbox') ?? []
  }
}

/** The window that has a message; empty: it was kept before windows had names. */
function windowOf({ window = '' }: Pending): string {
  return window
}

function now(): number {
  return Math.floor(serverTime() / 1000)
}

/** Returns what goes to the server for a place of an account. */
export function recipientsOf(place: Place, self: number) {
  return place.kind === 'topic'
    ? { type: 'stream', to: JSON.stringify([place.stream]), topic: place.topic }
    : { type: 'private', to: JSON.stringify(place.people.length === 0 ? [self] : place.people) }
}
