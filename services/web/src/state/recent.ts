import { keyOf, placeOf, type Place, type PlaceKey } from './conversation'
import type { Message } from './model'
import type { Narrow } from './narrow'

/** Everything, whatever is muted: so that it is no view that is on screen otherwise. */
export const everywhere: Narrow = [{ operator: 'in', operand: 'all' }]

/** How many of the newest messages are looked at for recent conversations. */
export const lookedAt = 400

/** A conversation with what was said last in it. */
export interface Recent {
  readonly place: Place
  /** The newest message. */
  readonly id: number
  /** When it was sent, in Unix seconds; undefined: it isn't known. */
  readonly time: number | undefined
  /** Who wrote, the last one first. */
  readonly people: readonly number[]
}

/** Returns the conversations of messages, which are in ascending order, and others of which the newest message is known. The newest come first. */
export function recentOf(messages: readonly Message[], others: Iterable<{ readonly place: Place; readonly newest: number }>, self: number): readonly Recent[] {
  const found = new Map<PlaceKey, { readonly place: Place; readonly id: number; readonly time: number | undefined; readonly people: Set<number> }>()
  for (const message of messages.toReversed()) {
    const place = placeOf(message, self)
    const key = keyOf(place)
    const known = found.get(key)
    if (known === undefined) {
      found.set(key, { place, id: message.id, time: message.timestamp, people: new Set([message.sender_id]) })
    } else {
      known.people.add(message.sender_id)
    }
  }
  for (const { place, newest } of others) {
    const key = keyOf(place)
    if (!found.has(key)) {
      found.set(key, { place, id: newest, time: undefined, people: new Set() })
    }
  }
  return [...found.values()].sort((a, b) => b.id - a.id).map((one) => ({ ...one, people: [...one.people] }))
}
