import { signal } from '@preact/signals'
import type { Narrow } from './narrow'

/** The maximum number of messages that wait for an answer that is younger than they are. */
const mostWaiting = 1_000

/** Where somebody was in a view: at a message, so many pixels below the top of the list. */
export interface Position {
  readonly id: number
  readonly offset: number
}

/** What is known of a narrow's messages: some of them without a gap, in ascending order. */
export class View {
  /** What it shows. It changes where that gets another name. */
  narrow: Narrow
  /** The messages; undefined: nothing was fetched yet. */
  readonly ids = signal<readonly number[] | undefined>(undefined)
  readonly foundOldest = signal(false)
  readonly foundNewest = signal(false)
  /** What went wrong when messages were fetched; empty: nothing. */
  readonly problem = signal('')
  /** The first unread message when the view was opened; undefined: none. */
  readonly firstUnread = signal<number | undefined>(undefined)
  /** The message that the keyboard is at. */
  readonly selected = signal<number | undefined>(undefined)
  /** The message that is selected since the one that was is gone: nobody went to it. */
  heir: number | undefined
  /** Messages that may belong here, and that the next answer may lack: it may be older than their events. */
  readonly waiting = new Set<number>()
  /** Messages with what was searched for marked in them, as of the content that they had. */
  readonly matches = new Map<number, { readonly of: string; readonly marked: string }>()
  /** Where the list is; undefined: at its end. */
  position: Position | undefined
  /** How often somebody was led to a position, other than by scrolling there. */
  readonly led = signal(0)
  /** How often messages were cut off since they were fetched. */
  cuts = 0
  /** Whether its messages are those of another registration, until they are fetched again. */
  isOld = false

  constructor(narrow: Narrow) {
    this.narrow = narrow
  }

  /** Leads to a message; undefined: to the end. */
  lead(position: Position | undefined): void {
    this.position = position
    this.led.value = this.led.peek() + 1 // whoever leads does not follow
  }

  /** Keeps at most so many messages, those around where the list is. The others have to be fetched again. */
  cut(most: number): void {
    const ids = this.ids.peek() ?? []
    const { position } = this
    const after = position === undefined ? -1 : ids.findIndex((id) => id >= position.id)
    const middle = after < 0 ? ids.length : after
    const start = Math.max(0, Math.min(middle - Math.floor(most / 2), ids.length - most))
    const kept = ids.slice(start, start + most)
    if (kept.length === ids.length) {
      return
    }
    this.cuts++
    this.foundOldest.value &&= start === 0
    this.foundNewest.value &&= start + most >= ids.length
    this.ids.value = kept
    const known = new Set(kept)
    for (const id of this.matches.keys()) {
      if (!known.has(id)) {
        this.matches.delete(id)
      }
    }
    if (!known.has(this.selected.peek() ?? 0)) {
      this.selected.value = undefined
    }
  }

  /** Keeps a message for when others are fetched. What came long before is in their answer. */
  await(id: number): void {
    this.waiting.add(id)
    const [first] = this.waiting
    if (this.waiting.size > mostWaiting && first !== undefined) {
      this.waiting.delete(first)
    }
  }

  /** Reports whether a message, if it belongs here, is next to those that are known or between them. What is old may lack others there. */
  reaches(id: number): boolean {
    const ids = this.ids.peek()
    return ids !== undefined && !this.isOld && (this.foundNewest.peek() || id < (ids.at(-1) ?? 0)) && (this.foundOldest.peek() || id > (ids[0] ?? 0))
  }

  /** Adds messages that came before, after, or between those that are known, in ascending order. */
  insert(added: readonly number[]): void {
    const ids = this.ids.peek() ?? []
    const first = ids[0] ?? Infinity
    const last = ids.at(-1) ?? Infinity
    const between = added.filter((id) => id > first && id < last)
    const known = between.length === 0 ? ids : [...new Set([...ids, ...between])].sort((a, b) => a - b) // there may be tens of thousands
    this.ids.value = [...added.filter((id) => id < first), ...known, ...added.filter((id) => id > last)]
  }

  /** Removes messages, which also don't belong here any more if they came while others were fetched. After the selected one, the next is selected. */
  remove(gone: ReadonlySet<number>): void {
    for (const id of gone) {
      this.waiting.delete(id)
    }
    const ids = this.ids.peek()
    if (ids?.some((id) => gone.has(id))) {
      this.ids.value = ids.filter((id) => !gone.has(id))
    }
    const selected = this.selected.peek()
    if (selected !== undefined && gone.has(selected)) {
      this.heir = this.ids.peek()?.find((id) => id > selected) ?? this.ids.peek()?.at(-1)
      this.selected.value = this.heir
    }
  }
}
