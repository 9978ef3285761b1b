import { serverTime } from '../api/wire'
import type { Presence, State } from '../state/state'

/** How long somebody counts as there after their client said so, in seconds (events.md, section 1.6.6). */
const fresh = 140

/** Whether somebody is there. */
export type Here = 'active' | 'idle' | 'away'

/** Returns whether somebody is there; now is in milliseconds. */
export function hereOf(presence: Presence | undefined, now: number): Here {
  const since = now / 1000 - fresh
  if (presence === undefined || Math.max(presence.active, presence.idle) < since) {
    return 'away'
  }
  return presence.active >= since ? 'active' : 'idle'
}

/** Returns whether somebody is there, as they want to be seen. */
export function hereOfPerson(state: State, person: number, now = serverTime()): Here {
  return state.inactive.value.has(person) || state.statuses.value.get(person)?.away === true ? 'away' : hereOf(state.presences.value.get(person), now)
}
