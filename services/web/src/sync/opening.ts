import type { Calls } from '../api/schema'
import { isSearch, wireOf, type Destination, type Narrow } from '../state/narrow'

/** How many messages a page has, on each side of its anchor. */
export const pageSize = 80

/** Which messages are asked for. */
export type Part = Pick<Calls['GET /messages']['params'], 'anchor' | 'num_before' | 'num_after'>

/** Returns the part of the newest messages. */
export function newest(count: number): Part {
  return { anchor: 'newest', num_before: count, num_after: 0 }
}

/** Returns the part at which a narrow is opened: the messages around the one that is wanted, else around the first unread one, and of a search the newest. */
export function partAt(narrow: Narrow, near: number | undefined): Part {
  if (near === undefined && isSearch(narrow)) {
    return newest(pageSize)
  }
  return { anchor: near === undefined ? 'first_unread' : String(near), num_before: pageSize, num_after: pageSize }
}

/** Returns what is asked for when an account opens a destination. */
export function openingOf(to: Destination, self: number): Calls['GET /messages']['params'] {
  return { ...partAt(to.narrow, to.near), narrow: wireOf(to.narrow, self) }
}
