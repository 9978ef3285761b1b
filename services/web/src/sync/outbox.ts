import { signal } from '@preact/signals'
import { call, CallError } from '../api/request'
import { keyOf, type Place } from '../state/conversation'
import type { Store } from './storage'

/** A message that is on its way. */
export interface Pending {
  /** What the client calls it. */
  readonly localID: string
  readonly place: Place
  readonly content: string
  /** When it was written, in Unix seconds. */
  readonly time: number
  /** Why it wasn't sent; undefined: it is under way. */
  readonly failed?: string
}

/** How long the event of a message may come after the reply, in milliseconds. */
const patience = 5_000

/** What is said of messages that were under way when the page was left. */
const left = 'It isn’t known whether this was sent.'

/** Sends messages, and shows them meanwhile. What fails stays until it is sent again or discarded, even if the page is left. */
export class Outbox {
  readonly pending = signal<readonly Pending[]>([])

  private readonly self: number
  private readonly store: Store
  private readonly queue: () => string
  private readonly fetch: (id: number) => Promise<void>
  private count = 0

  /** self is the own account, queue returns the name of the queue that gets the events, fetch fetches a message that no event brought. */
  constructor(self: number, store: Store, queue: () => string, fetch: (id: number) => Promise<void>) {
    this.self = self
    this.store = store
    this.queue = queue
    this.fetch = fetch
  }

  /** Brings back what was left when the page was. */
  restore(): void {
    const kept = this.store.read<readonly Pending[]>('outbox') ?? []
    this.set(kept.map((p) => ({ ...p, failed: p.failed ?? left })))
  }

  /** Sends a message. */
  send(place: Place, content: string): void {
    const localID = `${Date.now()}.${this.count++}`
    const pending = { localID, place, content, time: Math.floor(Date.now() / 1000) }
    this.set([...this.pending.peek(), pending])
    void this.post(pending)
  }

  /** Sends a message that failed once more. */
  again(localID: string): void {
    const found = this.pending.peek().find((p) => p.localID === localID)
    if (found !== undefined) {
      const { failed: _, ...pending } = found
      this.set(this.pending.peek().map((p) => (p.localID === localID ? pending : p)))
      void this.post(pending)
    }
  }

  /** Forgets a message: it has arrived, or nobody wants it any more. */
  drop(localID: string): void {
    if (this.pending.peek().some((p) => p.localID === localID)) {
      this.set(this.pending.peek().filter((p) => p.localID !== localID))
    }
  }

  private async post(pending: Pending): Promise<void> {
    const { place, content, localID } = pending
    const queue = this.queue()
    try {
      const reply = await call('POST /messages', { ...recipientsOf(place, this.self), content, local_id: localID, ...(queue === '' ? {} : { queue_id: queue }) })
      await new Promise((resolve) => setTimeout(resolve, patience))
      if (reply.id !== undefined && this.pending.peek().some((p) => p.localID === localID)) {
        await this.fetch(reply.id)
      }
      this.drop(localID)
    } catch (error) {
      if (!(error instanceof CallError)) {
        throw error
      }
      this.set(this.pending.peek().map((p) => (p.localID === localID ? { ...p, failed: error.message } : p)))
    }
  }

  private set(pending: readonly Pending[]): void {
    this.pending.value = pending
    this.store.write('outbox', pending.length === 0 ? undefined : pending)
  }
}

/** Returns those of the messages that belong to a place. */
export function pendingAt(pending: readonly Pending[], place: Place): readonly Pending[] {
  return pending.filter((p) => keyOf(p.place) === keyOf(place))
}

/** Returns what goes to the server for a place of an account. */
export function recipientsOf(place: Place, self: number) {
  return place.kind === 'topic'
    ? { type: 'stream', to: JSON.stringify([place.stream]), topic: place.topic }
    : { type: 'private', to: JSON.stringify(place.people.length === 0 ? [self] : place.people) }
}
