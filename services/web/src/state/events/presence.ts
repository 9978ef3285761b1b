import type { PresenceEvent } from '../../api/schema'
import type { State } from '../state'

/** Somebody's client said whether they are there. */
export function presence(state: State, event: PresenceEvent): void {
  const at = { active: 0, idle: 0 }
  for (const { status, timestamp } of Object.values(event.presence)) {
    const what = status === 'active' ? 'active' : 'idle'
    at[what] = Math.max(at[what], timestamp)
  }
  state.seen(new Map([[event.user_id, at]]))
}
