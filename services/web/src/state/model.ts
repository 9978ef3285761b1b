import type { Calls } from '../api/schema'

type Registered = Required<Calls['POST /register']['reply']>

/** What POST /register replies. */
export type Registration = Calls['POST /register']['reply']

/** An account, of a person or a bot. */
export type User = Registered['realm_users'][number]

/** A named group of people. */
export type UserGroup = Registered['realm_user_groups'][number]

/** A stream that the caller is subscribed to. */
export type Subscription = Registered['subscriptions'][number]

/** A stream, subscribed or not. */
export type Stream = Omit<Registered['never_subscribed'][number], 'subscribers'>

/** A file that the account uploaded. */
export type OwnFile = Calls['GET /attachments']['reply']['attachments'][number]

/** A reaction of somebody to a message. */
export interface Reaction {
  readonly emoji_name: string
  readonly emoji_code: string
  readonly reaction_type: string
  readonly user_id: number
}

/** A person in a private conversation. */
export interface Participant {
  readonly id: number
  readonly email: string
  readonly full_name: string
}

type Fetched = Calls['GET /messages']['reply']['messages'][number]

/** A message as the client keeps it. */
export type Message = Omit<Fetched, 'display_recipient' | 'reactions' | 'edit_history' | 'match_content' | 'match_subject' | 'content_type'> & {
  /** The name of the stream, or all participants. */
  readonly display_recipient: string | readonly Participant[]
  readonly reactions: readonly Reaction[]
  /** What the client itself called the message before it was stored; undefined: somebody else, or another client, sent it. */
  readonly local_id?: string
}

/** Whether the account never received a message, which was sent when it wasn't subscribed to the stream: the server keeps such messages as read. */
export function isHistory(message: Pick<Message, 'flags'> | undefined): boolean {
  return message?.flags.includes('historical') === true
}

/** Makes the message that the client keeps of one that was fetched, or that came with an event. */
export function messageOf(from: Omit<Fetched, 'flags' | 'reactions'> & { readonly reactions: readonly Reaction[] }, flags: readonly string[], local?: string): Message {
  const { edit_history: _, match_content: __, match_subject: ___, content_type: ____, ...rest } = from
  const message = { ...rest, flags, display_recipient: from.display_recipient as Message['display_recipient'] }
  return local === undefined ? message : { ...message, local_id: local }
}
