import type { State } from '../state'

/** Invitations were sent, accepted or withdrawn. */
export function invitesChanged(state: State): void {
  state.organization.invitations.value++
}
