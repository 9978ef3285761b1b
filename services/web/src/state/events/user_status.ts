import type { UserStatusEvent } from '../../api/schema'
import type { State } from '../state'

/** Somebody's status changed. */
export function userStatus(state: State, event: UserStatusEvent): void {
  if (event.status_text !== undefined) {
    state.statuses.value = new Map(state.statuses.value).set(event.user_id, event.status_text)
  }
}
