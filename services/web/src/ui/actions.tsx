import { Pencil, Reply, SmilePlus, Star } from 'lucide'
import { call } from '../api/request'
import { useClient, type Client } from '../client'
import { isHistory, type Message } from '../state/model'
import { editOf } from '../sync/drafts'
import { text } from '../text/text'
import { ask } from './ask'
import { replyTo } from './compose'
import { edit } from './editor'
import { Icon } from './icon'
import { MenuButton, showMenu, type Item } from './menu'
import { copyLink, copyText, forward, quote } from './quote'
import { pickFor } from './reactions'
import { markUnreadFrom } from './read'
import { canEdit, canMove, canRemove } from './rights'
import { moveMessage, remind, showEdits, showReactions } from './screens'

/** What one can do with a message. */
export function Actions({ message, name }: { readonly message: Message; readonly name: string }) {
  const client = useClient()
  const starred = message.flags.includes('starred')
  return (
    <div class="actions-way">
      <div class="actions" role="toolbar" aria-label={text.actions(name)}>
        <button class="icon" aria-label={text.react} title={text.react} onClick={() => pickFor(client, message)}>
          <Icon of={SmilePlus} />
        </button>
        <button class="icon" aria-label={text.reply} title={text.reply} onClick={() => replyTo(client, message)}>
          <Icon of={Reply} />
        </button>
        <button class="icon" aria-label={starred ? text.unstar : text.star} title={starred ? text.unstar : text.star} aria-pressed={starred} onClick={() => star(client, message)}>
          <Icon of={Star} full={starred} />
        </button>
        {canEdit(client, message) ? (
          <button class="icon" aria-label={text.edit} title={text.edit} onClick={() => edit(message.id)}>
            <Icon of={Pencil} />
          </button>
        ) : null}
        <MenuButton label={text.acting.more} items={() => itemsOfMessage(client, message)}>
          ⋯
        </MenuButton>
      </div>
    </div>
  )
}

/** What else one can do with a message. */
function itemsOfMessage(client: Client, message: Message): readonly Item[] {
  const { acting } = text
  const collapsed = message.flags.includes('collapsed')
  return [
    { name: acting.quote, key: '>', does: () => quote(client, message) },
    { name: acting.forward, key: 'f', does: () => forward(client, message) },
    { name: acting.copyText, does: () => copyText(client, message) },
    { name: acting.copyLink, does: () => copyLink(client, message) },
    { name: acting.remindMe, does: () => remind(client, message) },
    ...(isHistory(message) ? [] : [{ name: text.keys.unread, key: 'U', does: () => markUnreadFrom(client, message), apart: true }]),
    { name: collapsed ? acting.expand : acting.collapse, key: '-', does: () => flag(client, message, 'collapsed'), apart: isHistory(message) },
    ...(message.reactions.length > 0 ? [{ name: acting.whoReacted, does: () => showReactions(client, message) }] : []),
    ...(hasEdits(client, message) ? [{ name: acting.edits.title, does: () => showEdits(client, message) }] : []),
    ...(message.stream_id !== undefined && canMove(client, message) ? [{ name: acting.moveMessage, key: 'm', does: () => moveMessage(client, message) }] : []),
    ...(canRemove(client, message) ? [{ name: text.remove, does: () => void remove(client, message), danger: true, apart: true }] : []),
  ]
}

/** Opens the menu of a message at its place in the list. */
export function openMenuOf(client: Client, message: Message): void {
  const row = document.getElementById(`message-${message.id}`)
  if (row !== null) {
    showMenu(row, text.acting.more, itemsOfMessage(client, message))
  }
}

/** Whether somebody may see how a message was changed. */
export function hasEdits(client: Client, message: Message): boolean {
  return message.last_edit_timestamp !== undefined && client.state.settings.value['realm_allow_edit_history'] === true
}

/** Stars a message, or removes its star. */
export function star(client: Client, message: Message): void {
  flag(client, message, 'starred')
}

/** Gives a message a flag, or removes it. */
export function flag(client: Client, message: Message, name: 'starred' | 'collapsed'): void {
  const op = message.flags.includes(name) ? 'remove' : 'add'
  void client.act(() => call('POST /messages/flags', { messages: [message.id], op, flag: name }))
}

async function remove(client: Client, message: Message): Promise<void> {
  const { title, sentence, yes } = text.acting.remove
  if (await ask({ title, sentence, yes, danger: true })) {
    const done = await client.act(() => call('DELETE /messages/{message_id}', { message_id: message.id }))
    if (done) {
      client.drafts.clear(editOf(message.id))
    }
  }
}
