import type { Calls } from '../api/schema'

/** The types of events that the client follows: the queue gets no others. */
const followed = [
  'alert_words',
  'attachment',
  'custom_profile_fields',
  'default_stream_groups',
  'default_streams',
  'delete_message',
  'invites_changed',
  'message',
  'muted_topics',
  'presence',
  'reaction',
  'realm',
  'realm_bot',
  'realm_domains',
  'realm_emoji',
  'realm_export',
  'realm_filters',
  'realm_user',
  'stream',
  'submessage',
  'subscription',
  'typing',
  'update_display_settings',
  'update_global_notifications',
  'update_message',
  'update_message_flags',
  'user_group',
  'user_status',
]

/** Parts of the state that a registration replies with (events.md, section 1.5). */
const wanted = [
  'alert_words',
  'custom_profile_fields',
  'default_stream_groups',
  'default_streams',
  'message',
  'muted_topics',
  'presence',
  'realm',
  'realm_bot',
  'realm_domains',
  'realm_emoji',
  'realm_filters',
  'realm_incoming_webhook_bots',
  'realm_user',
  'realm_user_groups',
  'recent_private_conversations',
  'starred_messages',
  'stream',
  'subscription',
  'update_display_settings',
  'update_global_notifications',
  'update_message_flags',
  'user_status',
]

/** What the client asks for when it registers. */
export const registration: Calls['POST /register']['params'] = {
  apply_markdown: true,
  slim_presence: true,
  event_types: followed,
  fetch_event_types: wanted,
  client_capabilities: { notification_settings_null: true, bulk_message_deletion: true, user_avatar_url_field_optional: true },
}
