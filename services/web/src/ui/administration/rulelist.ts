import type { Calls } from '../../api/schema'

type Params = Calls['PATCH /realm']['params']

/** A setting of the organization: a parameter of PATCH /realm. Its value is in the state by its name with realm_ before. */
type Name = Extract<keyof Params, string>

/** How a rule is shown. */
export type Rule = { readonly name: Name; readonly owners?: true } & (
  | { readonly kind: 'switch'; /** Whether it says the opposite of the setting. */ readonly not?: true }
  | { readonly kind: 'choice'; readonly of: readonly (number | boolean)[] }
  | {
      /** A number for which most people want one of a few. */
      readonly kind: 'limit'
      readonly of: readonly number[]
      /** The value that is no limit. */
      readonly none: number
      readonly unit: 'minute' | 'day'
    }
  | { readonly kind: 'number' | 'stream' | 'code' | 'language' | 'calls' | 'methods' | 'domains' }
)

const minute = 60
const hour = 60 * minute
const day = 24 * hour
const limits = { kind: 'limit', none: 0, unit: 'minute', of: [2 * minute, 10 * minute, hour, day, 7 * day] } as const
const roles = [1, 3, 2] as const // all members, full members, administrators

/** The rules of an organization by what they are about. */
export const rules = {
  joining: [
    { name: 'invite_required', kind: 'choice', of: [true, false] },
    { name: 'invite_by_admins_only', kind: 'choice', of: [false, true] },
    { name: 'emails_restricted_to_domains', kind: 'domains' },
    { name: 'disallow_disposable_email_addresses', kind: 'switch' },
    { name: 'authentication_methods', kind: 'methods', owners: true },
    { name: 'waiting_period_threshold', kind: 'number' },
    { name: 'send_welcome_emails', kind: 'switch' },
    { name: 'signup_notifications_stream_id', kind: 'stream' },
  ],
  people: [
    { name: 'name_changes_disabled', kind: 'switch', not: true },
    { name: 'email_changes_disabled', kind: 'switch', not: true },
    { name: 'avatar_changes_disabled', kind: 'switch', not: true },
    { name: 'email_address_visibility', kind: 'choice', of: [1, 3, 4] },
    { name: 'user_group_edit_policy', kind: 'choice', of: [1, 2] },
    { name: 'bot_creation_policy', kind: 'choice', of: [1, 2, 3] },
    { name: 'add_emoji_by_admins_only', kind: 'choice', of: [false, true] },
  ],
  streams: [
    { name: 'create_stream_policy', kind: 'choice', of: roles },
    { name: 'invite_to_stream_policy', kind: 'choice', of: roles },
    { name: 'notifications_stream_id', kind: 'stream' },
  ],
  messages: [
    { name: 'allow_message_editing', kind: 'switch' },
    { name: 'message_content_edit_limit_seconds', ...limits },
    { name: 'allow_community_topic_editing', kind: 'switch' },
    { name: 'allow_edit_history', kind: 'switch' },
    { name: 'allow_message_deleting', kind: 'switch' },
    { name: 'message_content_delete_limit_seconds', ...limits },
    { name: 'message_retention_days', kind: 'limit', none: -1, unit: 'day', of: [7, 30, 90, 180, 365, 730, 1825], owners: true },
    { name: 'mandatory_topics', kind: 'switch' },
    { name: 'private_message_policy', kind: 'choice', of: [1, 2] },
    { name: 'inline_image_preview', kind: 'switch' },
    { name: 'default_code_block_language', kind: 'code' },
    { name: 'video_chat_provider', kind: 'calls' },
  ],
  mails: [
    { name: 'message_content_allowed_in_email_notifications', kind: 'switch' },
    { name: 'digest_emails_enabled', kind: 'switch' },
    { name: 'digest_weekday', kind: 'choice', of: [0, 1, 2, 3, 4, 5, 6] },
  ],
  newcomers: [
    { name: 'default_language', kind: 'language' },
    { name: 'default_twenty_four_hour_time', kind: 'choice', of: [false, true] },
  ],
} as const satisfies Readonly<Record<string, readonly Rule[]>>

/** Parameters of PATCH /realm that are no rules: the page has them elsewhere, or the server does nothing by them. */
type Elsewhere = 'name' | 'description' | 'inline_url_embed_preview'

type None<T extends never> = T

/** The settings that are neither rules nor elsewhere: the compiler names them here. */
export type Missing = None<Exclude<Name, (typeof rules)[keyof typeof rules][number]['name'] | Elsewhere>>

/** The value of a limit in its own unit. */
export function inUnit(unit: 'minute' | 'day', value: number): number {
  return unit === 'minute' ? value / minute : value
}

/** The value for a limit that is given in its unit. */
export function fromUnit(unit: 'minute' | 'day', value: number): number {
  return unit === 'minute' ? value * minute : value
}

/** Returns a duration as people say it: 90 minutes are 90 minutes, 120 are 2 hours. */
export function spoken(unit: 'minute' | 'day', value: number): { readonly unit: 'second' | 'minute' | 'hour' | 'day' | 'year'; readonly count: number } {
  const seconds = unit === 'minute' ? value : value * day
  for (const [name, length] of [['year', 365 * day], ['day', day], ['hour', hour], ['minute', minute]] as const) {
    if (seconds >= length && seconds % length === 0) {
      return { unit: name, count: seconds / length }
    }
  }
  return { unit: 'second', count: seconds }
}
