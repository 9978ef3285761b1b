import type { Client } from '../client'
import type { Message } from '../state/model'

/** How much later than the limit the server still takes an edit, in seconds (rest-api.md, section 2.7). */
const grace = 20

/** Whether somebody may edit what a message says. The server decides; this is what is offered. */
export function canEdit(client: Client, message: Message): boolean {
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

/** A limit of 0 is none. */
function within(message: Message, limit: number, more: number): boolean {
  return limit === 0 || Date.now() / 1000 - message.timestamp < limit + more
}
