import type { RealmFiltersEvent } from '../../api/schema'
import { linkifiersOf } from '../organization'
import type { State } from '../state'

/** The linkifiers changed; the event has all of them. */
export function realmFilters(state: State, event: RealmFiltersEvent): void {
  state.organization.linkifiers.value = linkifiersOf(event.realm_filters)
}
