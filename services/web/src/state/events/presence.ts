import type { PresenceEvent } from '../../api/schema'
import type { State } from '../state'

/** Somebody's client said whether they are there. */
export function presence(state: State, event: PresenceEvent): void {
  const before = state.presences.value.get(event.user_id) ?? { active: 0, idle: 0 }
  let { active, idle } = before
  for (const { status, timestamp } of Object.values(event.presence)) {
    if (status === 'active') {
      active = Math.max(active, timestamp)
    } else {
      idle = Math.max(idle, timestamp)
    }
  }
  state.presences.value = new Map(state.presences.value).set(event.user_id, { active, idle })
}
