import type { UserStatusEvent } from '../../api/schema'
import type { State } from '../state'

/** Somebody's status changed. */
export function userStatus(state: State, event: UserStatusEvent): void {
  const { text, away } = state.statuses.value.get(event.user_id) ?? { text: '', away: false }
  state.statuses.value = new Map(state.statuses.value).set(event.user_id, { text: event.status_text ?? text, away: event.away ?? away })
}
