import { batch } from '@preact/signals'
import type { ServerEvent } from '../../api/schema'
import type { State } from '../state'
import { alertWords } from './alert_words'
import { attachment } from './attachment'
import { customProfileFields } from './custom_profile_fields'
import { defaultStreamGroups, defaultStreams } from './default_streams'
import { deleteMessage } from './delete_message'
import { invitesChanged } from './invites_changed'
import { message } from './message'
import { mutedTopics } from './muted_topics'
import { presence } from './presence'
import { reaction } from './reaction'
import { realmUpdate, realmUpdateDict } from './realm'
import { realmBot } from './realm_bot'
import { realmDomains } from './realm_domains'
import { realmEmoji } from './realm_emoji'
import { realmExport } from './realm_export'
import { realmFilters } from './realm_filters'
import { realmUserAdd, realmUserRemove, realmUserUpdate } from './realm_user'
import { streamCreate, streamDelete, streamUpdate } from './stream'
import { submessage } from './submessage'
import { subscriptionAdd, subscriptionRemove, subscriptionUpdate } from './subscription'
import { subscriptionPeer } from './subscription_peer'
import { typing } from './typing'
import { updateDisplaySettings } from './update_display_settings'
import { updateGlobalNotifications } from './update_global_notifications'
import { updateMessage } from './update_message'
import { updateMessageFlags } from './update_message_flags'
import { userGroup } from './user_group'
import { userStatus } from './user_status'

/** Changes the state by an event; now is in milliseconds. Whatever isn't known is ignored, as servers may be newer. */
export function apply(state: State, event: ServerEvent, now: number): void {
  batch(() => reduce(state, event, now))
  state.heard.set(event.type, (state.heard.get(event.type) ?? 0) + 1)
}

function reduce(state: State, event: ServerEvent, now: number): void {
  switch (event.type) {
    case 'alert_words':
      return alertWords(state, event)
    case 'attachment':
      return attachment(state, event)
    case 'custom_profile_fields':
      return customProfileFields(state, event)
    case 'default_stream_groups':
      return defaultStreamGroups(state, event)
    case 'default_streams':
      return defaultStreams(state, event)
    case 'delete_message':
      return deleteMessage(state, event)
    case 'invites_changed':
      return invitesChanged(state)
    case 'message':
      return message(state, event)
    case 'muted_topics':
      return mutedTopics(state, event)
    case 'presence':
      return presence(state, event)
    case 'reaction':
      return reaction(state, event)
    case 'realm':
      return event.op === 'update' ? realmUpdate(state, event) : event.op === 'update_dict' ? realmUpdateDict(state, event) : undefined
    case 'realm_bot':
      return realmBot(state, event)
    case 'realm_domains':
      return realmDomains(state, event)
    case 'realm_emoji':
      return realmEmoji(state, event)
    case 'realm_export':
      return realmExport(state, event)
    case 'realm_filters':
      return realmFilters(state, event)
    case 'realm_user':
      return event.op === 'add' ? realmUserAdd(state, event) : event.op === 'remove' ? realmUserRemove(state, event) : realmUserUpdate(state, event)
    case 'stream':
      return event.op === 'create' ? streamCreate(state, event) : event.op === 'delete' ? streamDelete(state, event) : event.op === 'update' ? streamUpdate(state, event) : undefined
    case 'submessage':
      return submessage(state, event)
    case 'subscription':
      return event.op === 'add'
        ? subscriptionAdd(state, event)
        : event.op === 'remove'
          ? subscriptionRemove(state, event)
          : event.op === 'update'
            ? subscriptionUpdate(state, event)
            : subscriptionPeer(state, event)
    case 'typing':
      return typing(state, event, now)
    case 'update_display_settings':
      return updateDisplaySettings(state, event)
    case 'update_global_notifications':
      return updateGlobalNotifications(state, event)
    case 'update_message':
      return updateMessage(state, event)
    case 'update_message_flags':
      return updateMessageFlags(state, event)
    case 'user_group':
      return userGroup(state, event)
    case 'user_status':
      return userStatus(state, event)
    default:
      return undefined
  }
}
