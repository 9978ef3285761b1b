import type { Calls } from '../api/schema'
import { isSearch, wireOf, type Destination } from '../state/narrow'

/** How many messages a page has, on each side of its anchor. */
export const pageSize = 80

/** Returns what is asked for when an account opens a destination: the messages around the one that is wanted, else around the first unread one, and of a search the newest. */
export function openingOf({ narrow, near }: Destination, self: number): Calls['GET /messages']['params'] {
  const [anchor, after] = near !== undefined ? [String(near), pageSize] : isSearch(narrow) ? ['newest', 0] : ['first_unread', pageSize]
  return { anchor, num_before: pageSize, num_after: after, narrow: wireOf(narrow, self) }
}
