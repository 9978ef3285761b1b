import { call, CallError } from '../api/request'
import type { Place } from '../state/conversation'
import { narrowTo, wireOf } from '../state/narrow'
import type { State } from '../state/state'
import { recipientsOf, type Post } from './outbox'
import { named } from './refused'

/** How many of the own messages of a place are looked at. */
const most = 100

/** Returns an account's own messages of a place, as they were written: those after one, or the newest. */
export async function ownOf(self: number, place: Place, after: number | 'newest') {
  const narrow = wireOf([...narrowTo(place), { operator: 'sender', operand: self }], self)
  const around = after === 'newest' ? { num_before: most, num_after: 0 } : { num_before: 0, num_after: most }
  return (await call('GET /messages', { narrow, anchor: String(after), ...around, apply_markdown: false })).messages
}

/**
 * Returns what an outbox needs, by calls of the interface. queue returns the name of the queue that gets the events, fetch fetches a message that no
 * event brought, and doubt hears that one should have.
 */
export function post(state: State, queue: () => string, fetch: (id: number) => Promise<void>, doubt: () => void): Post {
  const self = () => state.self.peek()
  return {
    send: async ({ place, content, localID }) => {
      const name = queue()
      const sent = call('POST /messages', { ...recipientsOf(place, self()), content, local_id: localID, ...(name === '' ? {} : { queue_id: name }) })
      const { id } = await sent.catch((error: unknown) => {
        throw error instanceof CallError ? named(error, state) : error
      })
      return id ?? 0
    },
    own: (place, after) => ownOf(self(), place, after),
    fetch,
    missed: (place) => {
      if (place.kind === 'private' || state.subscriptions.peek().has(place.stream)) { // of others there are no events
        doubt()
      }
    },
    newest: () => state.newest,
  }
}
