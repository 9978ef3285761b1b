import { call } from '../api/request'
import type { Client } from '../client'
import { writtenOf } from '../html/written'
import { quoteOf } from '../markdown/names'
import type { Message } from '../state/model'
import { text } from '../text/text'
import { writeInto, writeNewWith } from './compose'
import { linkTo } from './read'

/** Writes what a message says, or what is marked of it, into the field of its place, as a quote. */
export function quote(client: Client, message: Message): void {
  const marked = markedOf(message)
  void client.act(async () => writeInto(client.state.placeOf(message), await quoted(client, message, marked)))
}

/** Returns what is marked of a message, as it is written; empty: nothing is, or more than that, or what is shown otherwise than it was written. */
function markedOf(message: Message): string {
  const said = document.getElementById(`said-${message.id}`)
  const selection = getSelection()
  const range = selection?.rangeCount ? selection.getRangeAt(0) : undefined
  if (selection === null || range === undefined || said?.contains(range.commonAncestorContainer) !== true) {
    return ''
  }
  const part = document.createElement('div')
  part.append(range.cloneContents())
  if (part.querySelector('.formula, time, details') !== null) {
    return '' // what they show isn't what was written, or not all of it
  }
  return writtenOf(part.innerHTML) ?? selection.toString().trim()
}

/** Begins a message to another place with what a message says. */
export function forward(client: Client, message: Message): void {
  void client.act(async () => writeNewWith(client, await quoted(client, message)))
}

/** Returns a message as it was written. */
async function written(message: Message): Promise<string> {
  return (await call('GET /messages/{message_id}', { message_id: message.id })).raw_content
}

async function quoted(client: Client, message: Message, marked = ''): Promise<string> {
  const raw = marked || (await written(message))
  const name = client.state.users.peek().get(message.sender_id)?.full_name ?? message.sender_full_name
  return quoteOf(raw, name, message.sender_id, text.acting.said, linkTo(client, message))
}

/** Copies what a message says, as it was written. */
export function copyText(client: Client, message: Message): void {
  void client.attempt(() => copy(client, written(message))).then((refused) => (client.notice.value = refused || client.notice.peek()))
}

/** Copies the address of a message. */
export function copyLink(client: Client, message: Message): void {
  void copy(client, linkTo(client, message))
}

/** Copies a text, which may be on its way, and says whether that worked. Browsers let pages do so for a moment after a click alone, so it isn't waited for before. */
export async function copy(client: Client, what: string | Promise<string>): Promise<void> {
  const type = 'text/plain'
  const blob = Promise.resolve(what).then((words) => new Blob([words], { type }))
  try {
    await navigator.clipboard.write([new ClipboardItem({ [type]: blob })])
    client.said.value = { words: text.acting.copied }
  } catch {
    client.notice.value = text.acting.notCopied(await what)
  }
}
