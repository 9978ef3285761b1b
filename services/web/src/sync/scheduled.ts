import { call, CallError } from '../api/request'
import type { Calls } from '../api/schema'
import { privatePlace, type Place } from '../state/conversation'
import { pauseAfter, type Backoff } from './backoff'
import { recipientsOf } from './outbox'
import { ownOf } from './post'

/** A message that is going to be sent. */
export type Scheduled = Calls['GET /scheduled_messages']['reply']['scheduled_messages'][number]

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

  /** Changes a message: another one waits before it is cancelled, so that none is lost. Who repeats that may want it otherwise. */
  async change(one: Scheduled, content: string, at: Date): Promise<void> {
    const begun = this.changes.get(one.scheduled_message_id)
    const { after, tried } = begun ?? { after: this.newest, tried: new Set<string>() }
    this.changes.set(one.scheduled_message_id, { after, tried })
    const made = begun === undefined ? [] : (await this.list()).filter((other) => other.scheduled_message_id > after && tried.has(sameAs(other)))
    const wanted = sameAs({ ...one, content, deliver_at: at.getTime() / 1000 })
    const kept = made.find((other) => sameAs(other) === wanted)
    if (kept === undefined) {
      tried.add(wanted)
      const delivery = { delivery_type: one.reminder ? 'remind' : 'send_later', deliver_at: at.toISOString() }
      await call('POST /messages', { ...recipientsOf(placeOf(one, this.self), this.self), content, ...delivery })
    }
    for (const other of [one, ...made]) {
      if (other !== kept) {
        await this.cancel(other)
      }
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

/** Returns a text that two messages have in common if they are the same, at the same time. */
function sameAs({ stream_id, topic, user_ids, content, deliver_at, reminder }: Scheduled): string {
  return JSON.stringify([stream_id, topic, user_ids, content.trim(), deliver_at, reminder])
}
