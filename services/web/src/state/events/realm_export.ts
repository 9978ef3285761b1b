import type { RealmExportEvent } from '../../api/schema'
import type { State } from '../state'

/** An archive was asked for, or is ready, or is gone; the event has all of them. */
export function realmExport(state: State, event: RealmExportEvent): void {
  state.organization.exports.value = event.exports
}
