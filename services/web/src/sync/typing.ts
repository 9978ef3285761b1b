import { call } from '../api/request'
import { keyOf, type Place } from '../state/conversation'
import type { State } from '../state/state'

/** How often others hear that one is still typing, and after what pause that one has stopped, in milliseconds (events.md, section 3.8). */
const again = 10_000
const pause = 5_000

/** Tells the people in a private conversation that their user is typing. */
export class Typing {
  private readonly state: State
  private place: Place | undefined
  private said = 0
  private timer: ReturnType<typeof setTimeout> | undefined

  constructor(state: State) {
    this.state = state
  }

  /** Notes that something was typed for a place. */
  typed(place: Place | undefined): void {
    if (place === undefined || place.kind !== 'private' || place.people.length === 0) {
      this.stop()
      return
    }
    if (this.place !== undefined && keyOf(this.place) !== keyOf(place)) {
      this.stop()
    }
    this.place = place
    if (Date.now() - this.said > again) {
      this.said = Date.now()
      this.say('start', place.people)
    }
    clearTimeout(this.timer)
    this.timer = setTimeout(() => this.stop(), pause)
  }

  /** Notes that nothing more is typed. */
  stop(): void {
    clearTimeout(this.timer)
    if (this.place?.kind === 'private') {
      this.say('stop', this.place.people)
    }
    this.place = undefined
    this.said = 0
  }

  private say(op: 'start' | 'stop', people: readonly number[]): void {
    const to = people.filter((id) => !this.state.inactive.peek().has(id))
    call('POST /typing', { op, to }).catch(() => {}) // nobody misses it
  }
}
