import type { UpdateGlobalNotificationsEvent } from '../../api/schema'
import type { State } from '../state'

/** A notification setting of the account changed. */
export function updateGlobalNotifications(state: State, event: UpdateGlobalNotificationsEvent): void {
  state.settings.value = { ...state.settings.value, [event.notification_name]: event.setting }
}
