import type { Client } from '../../client'
import { byName } from '../../text/order'
import { text } from '../../text/text'
import { isOwner } from './rights'
import type { Choosable } from '../form/listed'
import type { User } from '../../state/model'

/** The numbers of roles (rest-api.md, section 8.2). */
export const roles = { owner: 100, administrator: 200, member: 400, guest: 600 } as const

/** The role of an account. */
export function roleOf(user: User): number {
  return user.is_owner ? roles.owner : user.is_admin ? roles.administrator : user.is_guest ? roles.guest : roles.member
}

/** The roles that the user can put people in; only owners make owners. */
export function rolesOf(client: Client): readonly { readonly value: string; readonly name: string }[] {
  const words: Readonly<Record<number, string>> = text.administration.roles
  const all = Object.values(roles).filter((role) => (role !== roles.owner || isOwner(client)) && (role !== roles.administrator || client.state.isAdmin.value))
  return all.map((role) => ({ value: String(role), name: words[role] ?? '' }))
}

/** All streams that are known, by name. */
export function allStreams({ state }: Client): readonly Choosable[] {
  return [...state.streams.value.values()].map((s) => ({ id: s.stream_id, name: s.name })).sort(byName)
}
