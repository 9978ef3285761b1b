import type { RealmUserAddEvent, RealmUserRemoveEvent, RealmUserUpdateEvent } from '../../api/schema'
import type { User } from '../model'
import { uploaded, type State } from '../state'

/** The numbers of roles (rest-api.md, section 8.2). */
const owner = 100
const administrator = 200
const guest = 600

/** An account was made, or is active again. */
export function realmUserAdd(state: State, event: RealmUserAddEvent): void {
  state.users.value = new Map(state.users.value).set(event.person.user_id, event.person)
  state.inactive.value = new Set([...state.inactive.value].filter((id) => id !== event.person.user_id))
}

/** An account was deactivated. */
export function realmUserRemove(state: State, event: RealmUserRemoveEvent): void {
  state.inactive.value = new Set(state.inactive.value).add(event.person.user_id)
}

/** Something about an account changed. */
export function realmUserUpdate(state: State, event: RealmUserUpdateEvent): void {
  const { user_id: id, role, new_email: email, custom_profile_field: answer, ...rest } = event.person
  const user = state.users.value.get(id)
  if (user === undefined) {
    return
  }
  const roles = role === undefined ? {} : { is_owner: role === owner, is_admin: role <= administrator, is_guest: role === guest }
  const changed = { ...user, ...rest, ...roles, ...(email === undefined ? {} : { email }), ...(answer === undefined ? {} : { profile_data: answered(user, answer) }) }
  state.users.value = new Map(state.users.value).set(id, changed)
  if (id === state.self.value) {
    state.isAdmin.value = changed.is_admin
    own(state, event.person)
  }
}

/** What the registration has of the account itself, beside the list of all. */
function own(state: State, { delivery_email, new_email, avatar_source }: RealmUserUpdateEvent['person']): void {
  const changed = { ...(delivery_email === undefined ? {} : { delivery_email }), ...(new_email === undefined ? {} : { email: new_email }) }
  state.settings.value = { ...state.settings.value, ...changed }
  if (avatar_source !== undefined) {
    state.ownPicture.value = avatar_source === uploaded
  }
}

/** The answers of somebody's profile after one of them changed; null: it was removed. */
function answered(user: User, { id, value, rendered_value: rendered }: NonNullable<RealmUserUpdateEvent['person']['custom_profile_field']>): NonNullable<User['profile_data']> {
  const { [id]: _, ...rest } = user.profile_data ?? {}
  return value === null ? rest : { ...rest, [id]: rendered === undefined ? { value } : { value, rendered_value: rendered } }
}
