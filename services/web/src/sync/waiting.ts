import { signal } from '@preact/signals'
import { CallError } from '../api/request'
import { serverTime } from '../api/wire'
import type { Schedule, Scheduled } from './scheduled'

/** How long after a message was due it is looked whether it was sent, and how long before it is looked again at most, in milliseconds. */
const soon = 15_000
const longest = 3_600_000

/** How many messages of an account are going to be sent. No event says so: it is asked for, and again once the next one is due. */
export class Waiting {
  readonly count = signal(0)
  private readonly schedule: Schedule
  private timer: ReturnType<typeof setTimeout> | undefined
  private ended = false

  constructor(schedule: Schedule) {
    this.schedule = schedule
  }

  /** Asks the server. Where it doesn't answer, what was known stays. */
  async look(): Promise<void> {
    try {
      this.heard(await this.schedule.list())
    } catch (error) {
      if (!(error instanceof CallError)) {
        throw error
      }
    }
  }

  /** Notes what the server has listed, the next one first. */
  heard(all: readonly Scheduled[]): void {
    const [next] = all
    this.count.value = all.length
    clearTimeout(this.timer)
    if (next !== undefined && !this.ended) {
      this.timer = setTimeout(() => void this.look(), Math.min(longest, Math.max(0, next.deliver_at * 1000 - serverTime()) + soon))
    }
  }

  /** Asks no more by itself. */
  end(): void {
    this.ended = true
    clearTimeout(this.timer)
  }
}
