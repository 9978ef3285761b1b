import type { RealmUpdateDictEvent, RealmUpdateEvent } from '../../api/schema'
import type { State } from '../state'

/** A setting of the organization changed. */
export function realmUpdate(state: State, event: RealmUpdateEvent): void {
  state.settings.value = { ...state.settings.value, ['realm_' + event.property]: event.value }
}

/** Several settings of the organization changed. */
export function realmUpdateDict(state: State, event: RealmUpdateDictEvent): void {
  const changed = Object.entries(event.data).map(([name, value]) => ['realm_' + name, value] as const)
  state.settings.value = { ...state.settings.value, ...Object.fromEntries(changed) }
}
