import { serverTime } from '../api/wire'
import type { Client } from '../client'
import type { TopicPlace } from '../state/conversation'
import type { Message, Stream, User } from '../state/model'
import type { State } from '../state/state'
import { byName } from '../text/order'

/** The longest topic, in characters (rest-api.md, section 9). */
export const longestTopic = 60

/** How much later than the limit the server still takes an edit, in seconds (rest-api.md, section 2.7). */
const grace = 20

/** Whether somebody may edit what a message says. The server decides; this is what is offered. */
export function canEdit(client: Client, message: Pick<Message, 'sender_id' | 'timestamp'>): boolean {
  const { self, settings } = client.state
  const limit = Number(settings.value['realm_message_content_edit_limit_seconds'] ?? 0)
  return message.sender_id === self.value && settings.value['realm_allow_message_editing'] === true && within(message, limit, grace)
}

/** Whether somebody may delete a message. */
export function canRemove(client: Client, message: Message): boolean {
  const { self, isAdmin, settings } = client.state
  const limit = Number(settings.value['realm_message_content_delete_limit_seconds'] ?? 0)
  return isAdmin.value || (message.sender_id === self.value && settings.value['realm_allow_message_deleting'] === true && within(message, limit, 0))
}

/** How long others may move a message, in seconds. */
const moveLimit = 86_400
/** The topic of what was sent without one, which everybody may give it. */
export const noTopic = '(no topic)'

/** When somebody can no longer save an edit of a message, in Unix seconds; undefined: there is no limit. */
export function editableUntil(client: Client, message: Message): number | undefined {
  const limit = Number(client.state.settings.value['realm_message_content_edit_limit_seconds'] ?? 0)
  return limit === 0 ? undefined : message.timestamp + limit + grace
}

/** Whether somebody may move a message to another topic; undefined: one that isn't known. */
export function canMove(client: Client, message: Message | undefined): boolean {
  const { self, isAdmin, settings } = client.state
  if (settings.value['realm_allow_message_editing'] !== true) {
    return false
  }
  if (isAdmin.value || message?.sender_id === self.value || message?.subject === noTopic) {
    return true
  }
  return settings.value['realm_allow_community_topic_editing'] === true && (message === undefined || within(message, moveLimit, grace))
}

/** The streams that somebody may move messages of a place to, and its own; empty: none. */
export function canMoveTo(client: Client, place: TopicPlace): readonly Stream[] {
  const { isAdmin, streams } = client.state
  if (!isAdmin.value || streams.value.get(place.stream)?.invite_only !== false) {
    return []
  }
  return [...streams.value.values()].filter((stream) => !stream.invite_only).sort(byName)
}

/** The numbers of who may do something (rest-api.md, section 8.4): administrators alone; members that were here for a while. */
const administrators = 2
const fullMembers = 3
const day = 86_400_000

/** Whether somebody may make streams. */
export function canCreate(client: Client): boolean {
  return allowed(client, 'realm_create_stream_policy')
}

/** Whether somebody may subscribe others. */
export function canInvite(client: Client): boolean {
  return allowed(client, 'realm_invite_to_stream_policy')
}

/** Whether somebody may subscribe others to a stream: to a private one only its subscribers may (rest-api.md, section 3.2). */
export function canAddTo(client: Client, stream: number): boolean {
  const { streams, subscriptions } = client.state
  return canInvite(client) && (subscriptions.value.has(stream) || streams.value.get(stream)?.invite_only === false)
}

function allowed({ state }: Client, policy: string): boolean {
  const me = state.me.value
  const who = Number(state.settings.value[policy] ?? 1)
  if (state.isAdmin.value || me === undefined) {
    return state.isAdmin.value
  }
  return !me.is_guest && who !== administrators && (who !== fullMembers || !isNew(state, me))
}

/** Whether somebody's account is younger than full members are. */
function isNew(state: State, { date_joined }: User): boolean {
  return (serverTime() - Date.parse(date_joined)) / day < Number(state.settings.value['realm_waiting_period_threshold'] ?? 0)
}

/** The numbers of who may send to a stream besides administrators (http-api.md, stream objects). */
const nobodyElse = 2
const newMembers = 3

/** Who may send to a stream; undefined: one may oneself. The server decides; a stream that isn't known is open. */
export function whoWrites(state: State, id: number): 'admins' | 'newMembers' | 'subscribers' | undefined {
  const stream = state.subscriptions.value.get(id) ?? state.streams.value.get(id)
  const me = state.me.value
  if (stream === undefined || me === undefined) {
    return undefined
  }
  if (!state.isAdmin.value && stream.stream_post_policy === nobodyElse) {
    return 'admins'
  }
  if (!state.isAdmin.value && stream.stream_post_policy === newMembers && !isNew(state, me)) {
    return 'newMembers'
  }
  return (stream.invite_only || me.is_guest) && !stream.is_web_public && !state.subscriptions.value.has(id) ? 'subscribers' : undefined
}

/** A limit of 0 is none. */
function within(message: Pick<Message, 'timestamp'>, limit: number, more: number): boolean {
  return limit === 0 || serverTime() / 1000 - message.timestamp < limit + more
}
