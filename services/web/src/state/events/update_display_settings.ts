import type { UpdateDisplaySettingsEvent } from '../../api/schema'
import type { State } from '../state'

/** A display setting of the account changed. */
export function updateDisplaySettings(state: State, event: UpdateDisplaySettingsEvent): void {
  state.settings.value = { ...state.settings.value, [event.setting_name]: event.setting }
}
