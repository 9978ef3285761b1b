import { call } from '../api/request'
import type { Client } from '../client'
import { quoteOf } from '../markdown/names'
import type { Message } from '../state/model'
import { text } from '../text/text'
import { writeInto, writeNewWith } from './compose'
import { linkTo } from './read'

/** Writes what a message says into the field of its place, as a quote. */
export function quote(client: Client, message: Message): void {
  void client.act(async () => writeInto(client.state.placeOf(message), await quoted(client, message)))
}

/** Begins a message to another place with what a message says. */
export function forward(client: Client, message: Message): void {
  void client.act(async () => writeNewWith(client, await quoted(client, message)))
}

async function quoted(client: Client, message: Message): Promise<string> {
  const { raw_content: raw } = await call('GET /messages/{message_id}', { message_id: message.id })
  const name = client.state.users.peek().get(message.sender_id)?.full_name ?? message.sender_full_name
  return quoteOf(raw, name, message.sender_id, text.acting.said, linkTo(client, message))
}

/** Copies the address of a message. */
export function copyLink(client: Client, message: Message): void {
  void copy(client, linkTo(client, message))
}

/** Copies a text, and says whether that worked. */
export async function copy(client: Client, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(what)
    client.said.value = { words: text.acting.copied }
  } catch {
    client.notice.value = text.acting.notCopied(what)
  }
}
