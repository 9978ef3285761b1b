import { call } from '../api/request'
import { useClient, type Client } from '../client'
import type { Message } from '../state/model'
import { text } from '../text/text'
import { ask } from './ask'
import { replyTo } from './compose'
import { editing } from './editor'
import { MenuButton, type Item } from './menu'
import { copyLink, quote } from './quote'
import { markUnreadFrom } from './read'
import { canEdit, canRemove } from './rights'
import { picking } from './picker'

/** What one can do with a message. */
export function Actions({ message, name }: { readonly message: Message; readonly name: string }) {
  const client = useClient()
  const starred = message.flags.includes('starred')
  return (
    <div class="actions" role="toolbar" aria-label={text.actions(name)}>
      <button class="icon" aria-label={text.react} title={text.react} onClick={() => (picking.value = message.id)}>
        ☺
      </button>
      <button class="icon" aria-label={text.reply} title={text.reply} onClick={() => replyTo(client, message)}>
        ↩
      </button>
      <button class="icon" aria-label={starred ? text.unstar : text.star} title={starred ? text.unstar : text.star} aria-pressed={starred} onClick={() => star(client, message)}>
        {starred ? '★' : '☆'}
      </button>
      {canEdit(client, message) ? (
        <button class="icon" aria-label={text.edit} title={text.edit} onClick={() => (editing.value = message.id)}>
          ✎
        </button>
      ) : null}
      <MenuButton label={text.acting.more} items={() => itemsFor(client, message)}>
        ⋯
      </MenuButton>
    </div>
  )
}

/** What else one can do with a message. */
export function itemsFor(client: Client, message: Message): readonly Item[] {
  const { acting } = text
  return [
    { name: acting.quote, does: () => void quote(client, message) },
    { name: acting.copyLink, does: () => void copyLink(client, message) },
    { name: text.keys.unread, key: 'U', does: () => markUnreadFrom(client, message) },
    ...(canRemove(client, message) ? [{ name: text.remove, does: () => void remove(client, message), danger: true, apart: true }] : []),
  ]
}

/** Stars a message, or removes its star. */
export function star(client: Client, message: Message): void {
  const op = message.flags.includes('starred') ? 'remove' : 'add'
  void client.act(() => call('POST /messages/flags', { messages: [message.id], op, flag: 'starred' }))
}

async function remove(client: Client, message: Message): Promise<void> {
  const { title, sentence, yes } = text.acting.remove
  if (await ask({ title, sentence, yes, danger: true })) {
    void client.act(() => call('DELETE /messages/{message_id}', { message_id: message.id }))
  }
}
