import { batch, signal } from '@preact/signals'
import { ask, call, CallError, intercepted, refusal } from '../api/request'
import type { ServerEvent } from '../api/schema'
import { speakFor } from '../api/wire'
import { apply } from '../state/events/apply'
import type { State } from '../state/state'
import { pauseAfter, type Backoff } from './backoff'
import { forgetEarly } from './early'
import { reader } from './lines'
import { isOfDeactivated } from './refused'
import { registration } from './registration'
import { callUnlessEarly } from './unlessearly'

/** Whether the state is what the server says. Once another account is signed in, another client has to take the place of this one. */
export type Status = 'starting' | 'online' | 'offline' | 'signed out' | 'replaced'

/** How often the server sends something on a stream, in milliseconds. */
const heartbeat = 60_000

/** A stream without a byte for so long has ended, in milliseconds. */
const silence = 90_000

/** A stream that wasn't opened within so long is as good as none, in milliseconds. */
const opening = 15_000

/** The type of a stream. */
const streamed = 'text/event-stream'

/** A stream that brought no event and ended before so long was none, in milliseconds. */
const brief = 1_000

/** The pauses after failures. */
const backoff: Backoff = { first: 500, longest: 10_000 }

interface Queue {
  readonly id: string
  last: number
}

/**
 * Keeps the state equal to the server's: it registers, follows the events, comes back after failures, and registers again where the
 * queue is gone.
 */
export class Connection {
  readonly status = signal<Status>('starting')
  /** Whether what was tried last went wrong. */
  readonly failed = signal(false)
  /** Whether nobody is signed in any more since the account is deactivated. */
  readonly deactivated = signal(false)
  /** How many streams of events were opened: after each, the server may be another. */
  readonly opened = signal(0)

  private readonly state: State
  private readonly heard: (event: ServerEvent) => void
  private readonly stop = new AbortController()
  private queue: Queue | undefined
  private failures = 0
  /** When a stream of events said something last, in milliseconds. */
  private lastByte = 0
  /** When an event came last that couldn't be applied, in milliseconds. */
  private broken = -Infinity
  private wake: () => void = () => {}
  /** Ends the stream that is open. */
  private leaveStream: () => void = () => {}

  /** heard is called with each event, once the state has changed by it. */
  constructor(state: State, heard: (event: ServerEvent) => void) {
    this.state = state
    this.heard = heard
  }

  /** The name of the queue; empty: there is none. */
  get queueID(): string {
    return this.queue?.id ?? ''
  }

  /** Works until end is called, or until the session is over. */
  async run(): Promise<void> {
    speakFor(undefined) // until it is known which account is signed in
    while (!this.stop.signal.aborted) {
      try {
        await this.follow(this.queue ?? (await this.register()))
        this.failures = 0
      } catch (error) {
        if (!(await this.recover(error))) {
          return
        }
      }
    }
  }

  /** Ends the work. */
  end(): void {
    this.stop.abort()
    this.wake()
  }

  /** Ends the work, as the browser is signed in to another account. */
  replace(): void {
    this.status.value = 'replaced'
    this.end()
  }

  /** Ends a pause: the network may be there again. */
  hurry(): void {
    this.wake()
  }

  /** Ends a pause, and opens a stream again that should have said something by now: somebody comes back to a page whose timers stood still, maybe for hours. */
  comeBack(): void {
    this.hurry()
    if (Date.now() - this.lastByte > heartbeat) {
      this.doubt()
    }
  }

  /** Opens the stream of events again: it didn't bring what it should have. */
  doubt(): void {
    this.leaveStream()
  }

  private async register(): Promise<Queue> {
    try {
      const reply = await callUnlessEarly('POST /register', registration, { signal: this.stop.signal })
      this.queue = { id: reply.queue_id, last: reply.last_event_id }
      if (this.state.registrations.peek() > 0 && reply.user_id !== this.state.self.peek()) {
        this.leave(this.queue)
        this.replace()
      }
      this.stop.signal.throwIfAborted()
      speakFor(reply.user_id)
      this.state.fill(reply)
      return this.queue
    } finally {
      forgetEarly() // messages that nobody took when the state was filled lack what this queue's events say, or those of the next
    }
  }

  /** Applies the events of a stream until it ends, which it does after some minutes. */
  private async follow(queue: Queue): Promise<void> {
    const quiet = new AbortController()
    const query = new URLSearchParams({ queue_id: queue.id, last_event_id: String(queue.last) })
    let timer = setTimeout(() => quiet.abort(), opening)
    try {
      const response = await ask('/api/v1/events?' + query.toString(), {
        headers: { Accept: streamed },
        signal: AbortSignal.any([this.stop.signal, quiet.signal]),
      })
      if (!response.ok || response.body === null) {
        throw refusal(response, await response.json().catch(() => null))
      }
      if (!response.headers.get('Content-Type')?.startsWith(streamed)) { // a page for signing in to the network is no stream
        throw intercepted()
      }
      batch(() => {
        this.status.value = 'online'
        this.failed.value = false
        this.opened.value++
      })
      clearTimeout(timer)
      timer = setTimeout(() => quiet.abort(), silence)
      this.leaveStream = () => quiet.abort()
      this.lastByte = Date.now()
      const { last } = queue
      const begun = Date.now()
      const read = reader()
      const bytes = response.body.pipeThrough(new TextDecoderStream()).getReader()
      for (let piece = await bytes.read(); !piece.done; piece = await bytes.read()) {
        clearTimeout(timer)
        timer = setTimeout(() => quiet.abort(), silence)
        this.lastByte = Date.now()
        this.failures = 0
        if (this.take(queue, read(piece.value))) {
          await bytes.cancel()
          this.leave(queue)
          return
        }
      }
      if (queue.last === last && Date.now() - begun < brief) {
        throw new CallError('', 0, '', 0) // and not again at once
      }
    } catch (error) {
      throw quiet.signal.aborted || error instanceof TypeError ? new CallError('', 0, '', 0) : error
    } finally {
      clearTimeout(timer)
      this.leaveStream = () => {}
    }
  }

  /** Applies events all at once, so that what is on screen changes once. Returns whether only another registration says all that they change, as it does where one can't be applied. */
  private take(queue: Queue, sent: readonly { readonly id: string; readonly data: string }[]): boolean {
    let unknown = false
    batch(() => {
      for (const one of sent) {
        const event = JSON.parse(one.data) as ServerEvent
        queue.last = Math.max(queue.last, event.id) // it doesn't come again, whatever becomes of it
        try {
          apply(this.state, event, Date.now())
          this.heard(event)
          unknown ||= this.changesUnknown(event)
        } catch (error) {
          console.error(error)
          unknown ||= Date.now() - this.broken > heartbeat // and not with each of many
          this.broken = Date.now()
        }
      }
    })
    return unknown
  }

  /** Whether an event doesn't have all that it changes: what the account may see in another role, and where messages are that are unread again. */
  private changesUnknown(event: ServerEvent): boolean {
    return (
      (event.type === 'realm_user' && event.op === 'update' && event.person.user_id === this.state.self.peek() && event.person.role !== undefined) ||
      (event.type === 'update_message_flags' && event.flag === 'read' && event.operation === 'remove' && event.messages.some((id) => this.state.message(id) === undefined))
    )
  }

  /** Leaves a queue, so that the next one begins with what the account may see now. */
  private leave(queue: Queue): void {
    this.queue = undefined
    call('DELETE /events', { queue_id: queue.id }).catch(() => {}) // without requests, it ends by itself
  }

  /** Decides what follows a failure; false: nothing. */
  private async recover(error: unknown): Promise<boolean> {
    if (this.stop.signal.aborted) {
      return false
    }
    if (!(error instanceof CallError)) {
      throw error
    }
    if (error.status === 401) {
      batch(() => {
        this.deactivated.value = isOfDeactivated(error)
        this.status.value = 'signed out'
      })
      return false
    }
    if (!error.passes) { // the queue is gone, or isn't what it was
      this.queue = undefined
      if (this.failures++ === 0) {
        return true
      }
    }
    const pause = Math.max(error.wait * 1000, pauseAfter(backoff, this.failures, 0) * (0.75 + Math.random() / 2))
    this.failures++
    if (this.failures > 1 || this.status.peek() === 'starting') { // one stream that breaks off is nothing to speak of
      batch(() => {
        this.status.value = this.status.peek() === 'starting' ? 'starting' : 'offline'
        this.failed.value = true
      })
    }
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, pause)
      this.wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    return true
  }
}
