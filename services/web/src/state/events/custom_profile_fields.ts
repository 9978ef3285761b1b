import type { CustomProfileFieldsEvent } from '../../api/schema'
import type { State } from '../state'

/** The questions of profiles changed; the event has all of them. */
export function customProfileFields(state: State, event: CustomProfileFieldsEvent): void {
  state.organization.profileFields.value = event.fields
}
