import { signal } from '@preact/signals'
import { call, CallError } from '../api/request'
import { isHistory } from '../state/model'
import { sameNarrow, wireOf, type Narrow } from '../state/narrow'
import type { State } from '../state/state'
import type { View } from '../state/view'

/** How long what was seen is collected before the server hears of it, and how long it waits after a failure, in milliseconds. */
const delay = 400
const pause = 5_000
/** How many messages a call names at most. */
const portion = 1000
/** How many refusals it takes until what is refused isn't divided any more. */
const mostRefusals = 20

/** Marks messages as read that were on screen. */
export class Reading {
  /** Where messages were marked as unread: nothing is marked as read there until somebody comes back. */
  readonly paused = signal<Narrow | undefined>(undefined)

  private readonly seen = new Set<number>()
  private timer: ReturnType<typeof setTimeout> | undefined
  /** What is being marked. */
  private underWay: Promise<unknown> = Promise.resolve()
  private ended = false

  /** Notes that messages of a view were seen. They are marked a moment later. */
  saw(view: View, ids: readonly number[]): void {
    const paused = this.paused.peek()
    if (paused !== undefined && sameNarrow(paused, view.narrow)) {
      return
    }
    for (const id of ids) {
      this.seen.add(id)
    }
    this.later()
  }

  /** Has a place where nothing is marked as read be another one: its topic was moved there. */
  move(from: Narrow, to: Narrow): void {
    const paused = this.paused.peek()
    if (paused !== undefined && sameNarrow(paused, from)) {
      this.paused.value = to
    }
  }

  private later(after = delay): void {
    if (this.seen.size > 0 && !this.ended) {
      this.timer ??= setTimeout(() => void this.flush(), after)
    }
  }

  /** Marks nothing more: the account is signed out, and the session may be that of another one. */
  end(): void {
    this.ended = true
    clearTimeout(this.timer)
  }

  /** Marks what was seen, now, and ends once that and what was being marked has an answer. */
  flush(): Promise<unknown> {
    clearTimeout(this.timer)
    this.timer = undefined
    const messages = [...this.seen].slice(0, portion)
    if (messages.length > 0) {
      messages.forEach((id) => this.seen.delete(id))
      this.underWay = Promise.all([this.underWay, this.mark(messages).then((done) => this.later(done ? delay : pause))])
    }
    return this.underWay
  }

  /** Marks messages, without those that the server refuses, such as deleted ones. Where it can't be reached, they wait; then it returns false. */
  private async mark(messages: readonly number[]): Promise<boolean> {
    const parts = [messages]
    let refusals = 0
    for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
      try {
        await call('POST /messages/flags', { messages: part, op: 'add', flag: 'read' }, { keepalive: true })
      } catch (error) {
        if (!(error instanceof CallError)) {
          throw error
        }
        if (error.passes) {
          for (const id of [part, ...parts].flat()) {
            this.seen.add(id)
          }
          return false
        }
        if (error.status === 401) {
          return true // nobody is signed in any more, which no part of it would change
        }
        if (part.length > 1 && ++refusals < mostRefusals) { // the server refuses a call as a whole
          const half = Math.ceil(part.length / 2)
          parts.push(part.slice(half), part.slice(0, half))
        }
      }
    }
    return true
  }

  /** Marks the messages of a view as unread that were received, from one of these on to the newest, and keeps them so while the view is on screen. It throws a CallError. */
  async unreadFrom(state: State, view: View, id: number): Promise<void> {
    this.paused.value = view.narrow
    await this.flush() // what was seen before comes first
    this.seen.clear() // and not later, if it failed
    const ids = new Set<number>()
    let next = id
    for (let more = true; more; ) {
      const reply = await call('GET /messages', { anchor: String(next), num_before: 0, num_after: portion - 1, narrow: wireOf(view.narrow, state.self.peek()) })
      const page = state.keepPage(reply.messages)
      for (const message of reply.messages) {
        if (!isHistory(message)) {
          ids.add(message.id)
        }
      }
      next = Math.max(next, ...page)
      more = !reply.found_newest && reply.messages.length > 1
    }
    await flag([...ids], 'remove')
    view.firstUnread.value = id
  }

  /** Marks messages as read. It throws a CallError. */
  async read(ids: readonly number[]): Promise<void> {
    await flag(ids, 'add')
  }
}

async function flag(ids: readonly number[], op: 'add' | 'remove'): Promise<void> {
  for (let i = 0; i < ids.length; i += portion) {
    await call('POST /messages/flags', { messages: ids.slice(i, i + portion), op, flag: 'read' })
  }
}
