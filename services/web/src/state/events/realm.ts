import type { RealmUpdateDictEvent, RealmUpdateEvent } from '../../api/schema'
import type { State } from '../state'

/** Only administrators see real addresses (rest-api.md, section 8.7). */
const administratorsAlone = 3

/** A setting of the organization changed. */
export function realmUpdate(state: State, event: RealmUpdateEvent): void {
  state.settings.value = { ...state.settings.value, ['realm_' + event.property]: event.value }
  if (event.property === 'email_address_visibility' && event.value !== administratorsAlone) {
    forgetAddresses(state)
  }
}

/** Real addresses beside the displayed ones go, since they are no longer kept up to date: no event of their own says so. */
function forgetAddresses(state: State): void {
  state.users.value = new Map([...state.users.value].map(([id, { delivery_email: _, ...user }]) => [id, user]))
}

/** Several settings of the organization changed. */
export function realmUpdateDict(state: State, event: RealmUpdateDictEvent): void {
  const changed = Object.entries(event.data).map(([name, value]) => ['realm_' + name, value] as const)
  state.settings.value = { ...state.settings.value, ...Object.fromEntries(changed) }
}
