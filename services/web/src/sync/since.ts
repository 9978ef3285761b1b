import { call } from '../api/request'
import type { WireTerm } from '../state/narrow'

/**
 * Returns the id of the first message of a narrow that was sent at a time or later, in Unix seconds; undefined: all are older. The server
 * doesn't search by time, but ids grow with it, so that each call halves those that are left.
 */
export async function firstSince(narrow: readonly WireTerm[], time: number): Promise<number | undefined> {
  const fetched = async (anchor: string, before: number, after: number) => (await call('GET /messages', { anchor, num_before: before, num_after: after, narrow })).messages
  const newest = (await fetched('newest', 1, 0)).at(-1)
  if (newest === undefined || newest.timestamp < time) {
    return undefined
  }
  let found = newest.id
  for (let low = 1, high = newest.id; low < high; ) {
    const middle = Math.floor((low + high) / 2)
    const [message = newest] = await fetched(String(middle), 0, 1)
    if (message.timestamp < time) {
      low = message.id + 1
    } else {
      found = message.id
      high = middle
    }
  }
  return found
}

/** Returns the id of the last message of a narrow that was sent before a time, in Unix seconds; undefined: none was. */
export async function lastBefore(narrow: readonly WireTerm[], time: number): Promise<number | undefined> {
  const next = await firstSince(narrow, time)
  const { messages } = await call('GET /messages', { anchor: next === undefined ? 'newest' : String(next), num_before: 1, num_after: 0, narrow })
  return messages.findLast((one) => one.id !== next)?.id
}
