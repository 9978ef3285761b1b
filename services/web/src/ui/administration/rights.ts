import type { Client } from '../../client'
import type { UserGroup } from '../../state/model'

/** The kinds of bots (rest-api.md, section 5.12). */
export const kinds = { generic: 1, incoming: 2, outgoing: 3 } as const

/** What an organization's settings that name somebody stand for. */
const administrators = { bots: 3, groups: 2 } as const
const noGenericBots = 2

/** Whether the user is an owner. The server decides; this and what follows is what is offered. */
export function isOwner({ state }: Client): boolean {
  return state.me.value?.is_owner ?? false
}

/** Whether the user is an administrator or an owner. */
export function isAdmin({ state }: Client): boolean {
  return state.isAdmin.value
}

/** Whether the user is more than a guest. */
export function isMember({ state }: Client): boolean {
  return !(state.me.value?.is_guest ?? true)
}

/** Whether the user may invite people. */
export function mayInvite(client: Client): boolean {
  return isAdmin(client) || (isMember(client) && !on(client, 'realm_invite_by_admins_only'))
}

/** Whether the user may make a bot of a kind. */
export function mayMakeBot(client: Client, kind: number): boolean {
  const policy = number(client, 'realm_bot_creation_policy')
  return isAdmin(client) || (isMember(client) && policy !== administrators.bots && (policy !== noGenericBots || kind !== kinds.generic))
}

/** Whether the user may make groups. */
export function mayMakeGroup(client: Client): boolean {
  return isAdmin(client) || (isMember(client) && number(client, 'realm_user_group_edit_policy') !== administrators.groups)
}

/** Whether the user may change a group. */
export function mayChangeGroup(client: Client, group: UserGroup): boolean {
  return isAdmin(client) || (mayMakeGroup(client) && group.members.includes(client.state.self.value))
}

/** Whether the user may add emoji. */
export function mayAddEmoji(client: Client): boolean {
  return isAdmin(client) || (isMember(client) && !on(client, 'realm_add_emoji_by_admins_only'))
}

function on({ state }: Client, setting: string): boolean {
  return state.settings.value[setting] === true
}

function number({ state }: Client, setting: string): number {
  return Number(state.settings.value[setting] ?? 0)
}
