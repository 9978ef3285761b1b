import { call, CallError } from '../api/request'
import type { Calls } from '../api/schema'
import { keyOf, privatePlace, type Place } from '../state/conversation'
import { pauseAfter, type Backoff } from './backoff'
import { recipientsOf } from './outbox'
import { ownOf } from './post'

/** A message that is going to be sent. */
export type Scheduled = Calls['GET /scheduled_messages']['reply']['scheduled_messages'][number]

/** A message that is to wait. */
interface Wanted {
  readonly place: Place
  readonly content: string
  readonly at: Date
  readonly reminder: boolean
}

/** How many of them a page of the server's list has. */
const pageSize = 100

/** The pauses before a message is cancelled again whose cancelling got no answer, and how often that is tried at most. */
const backoff: Backoff = { first: 500, longest: 8_000 }
const mostTries = 6

/** By how much the time of a message that was sent may be before that for which it was scheduled, in seconds: the clocks of servers differ. */
const skew = 60

/**
 * The messages of an account that are going to be sent. A call without an answer may have been carried out. What comes of it is what the
 * server's lists say, so that no message is lost, or sent twice. Methods throw a CallError.
 */
export class Schedule {
  private readonly self: number
  /** The messages whose cancelling was carried out, or may have been, without an answer. */
  private readonly cancelled = new Set<number>()
  /** By the messages whose change isn't complete: the newest that waited before, and what was to replace it. */
  private readonly changes = new Map<number, { readonly after: number; readonly tried: Set<string> }>()
  /** What was to wait, and may do so, though there was no answer. */
  private readonly added = new Set<string>()
  /** The newest message that was ever listed. */
  private newest = 0

  constructor(self: number) {
    this.self = self
  }

  /** Returns all of them, the next one first. */
  async list(): Promise<readonly Scheduled[]> {
    const all: Scheduled[] = []
    for (;;) {
      const { scheduled_messages: page } = await call('GET /scheduled_messages', { after: all.at(-1)?.scheduled_message_id ?? 0 })
      all.push(...page)
      if (page.length < pageSize) {
        this.newest = Math.max(this.newest, all.at(-1)?.scheduled_message_id ?? 0)
        return all.sort((a, b) => a.deliver_at - b.deliver_at)
      }
    }
  }

  /** Cancels a message, so that it isn't sent. */
  async cancel(one: Scheduled): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        await this.remove(one)
        return
      } catch (error) {
        if (!(error instanceof CallError) || !error.passes || tries === mostTries) {
          throw error
        }
        await new Promise((resolve) => setTimeout(resolve, pauseAfter(backoff, tries - 1, error.wait)))
      }
    }
  }

  /** Has a message wait. Who repeats that may want another time, and has it wait once. */
  async add(place: Place, content: string, at: Date, reminder: boolean): Promise<void> {
    for (const other of await this.make({ place, content, at, reminder }, this.added)) {
      await this.cancel(other)
    }
    this.added.clear()
  }

  /** Has a message wait, unless it does after one of the tries. Returns what else waits after these, among the messages after one. */
  private async make({ place, content, at, reminder }: Wanted, tried: Set<string>, after = 0): Promise<readonly Scheduled[]> {
    const name = (one: Scheduled) => nameOf({ place: placeOf(one, this.self), content: one.content, at: new Date(one.deliver_at * 1000), reminder: one.reminder })
    const wanted = nameOf({ place, content, at, reminder })
    const made = tried.size === 0 ? [] : (await this.list()).filter((one) => one.scheduled_message_id > after && tried.has(name(one)))
    const kept = made.find((one) => name(one) === wanted)
    if (kept === undefined) {
      tried.add(wanted)
      await call('POST /messages', { ...recipientsOf(place, this.self), content, delivery_type: reminder ? 'remind' : 'send_later', deliver_at: at.toISOString() })
    }
    return made.filter((one) => one !== kept)
  }

  /** Changes a message: another one waits before it is cancelled, so that none is lost. Who repeats that may want it otherwise. */
  async change(one: Scheduled, content: string, at: Date): Promise<void> {
    const { after, tried } = this.changes.get(one.scheduled_message_id) ?? { after: this.newest, tried: new Set<string>() }
    this.changes.set(one.scheduled_message_id, { after, tried })
    const others = await this.make({ place: placeOf(one, this.self), content, at, reminder: one.reminder }, tried, after)
    for (const other of [one, ...others]) {
      await this.cancel(other)
    }
    this.changes.delete(one.scheduled_message_id)
  }

  /** Cancels a message. That it isn't there is a refusal, unless it is due to an earlier call. */
  private async remove(one: Scheduled): Promise<void> {
    const { scheduled_message_id: id } = one
    try {
      await call('DELETE /scheduled_messages/{scheduled_message_id}', { scheduled_message_id: id })
      this.cancelled.add(id)
    } catch (error) {
      if (!(error instanceof CallError)) {
        throw error
      }
      if (error.passes) {
        this.cancelled.add(id)
      }
      if (error.status !== 400 || !this.cancelled.has(id) || (await this.wasSent(one))) {
        throw error
      }
    }
  }

  /** Whether a message was sent. Reminders, which the server sends, don't count: nobody sends them twice. */
  private async wasSent(one: Scheduled): Promise<boolean> {
    const own = await ownOf(this.self, placeOf(one, this.self), 'newest')
    return own.some(({ content, timestamp }) => content.trim() === one.content.trim() && timestamp >= one.deliver_at - skew)
  }
}

/** Returns where a message is going to be sent. */
export function placeOf({ stream_id: stream, topic = '', user_ids: people = [] }: Scheduled, self: number): Place {
  return stream === undefined ? privatePlace(people, self) : { kind: 'topic', stream, topic }
}

/** Returns a text that two messages have in common if they are the same, in the same second. */
function nameOf({ place, content, at, reminder }: Wanted): string {
  return JSON.stringify([keyOf(place), content.trim(), Math.floor(at.getTime() / 1000), reminder])
}
