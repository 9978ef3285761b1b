import { textNow } from '../text/text'

/** What the interface declares to say of what is gone, or isn't for who asks, and what that was. Numbers of what it was are %d. */
export const declared = {
  'Draft does not exist': 'draft',
  'Field id %d not found.': 'question',
  'Filter not found': 'link',
  'Invalid attachment': 'file',
  'Invalid custom emoji.': 'emoji',
  'Invalid data export ID': 'archive',
  'Invalid message(s)': 'message',
  'Invalid scheduled message ID.': 'scheduled',
  'Invalid session id': 'session',
  'Invalid stream id': 'stream',
  'Invalid user group': 'group',
  'Invalid user ID %d': 'person',
  'Invalid user ID: %d': 'person',
  'No such bot': 'bot',
  'No such invitation': 'invitation',
  'No such user': 'person',
} as const

/** Returns a refusal in words for people, if what it is about is gone; undefined: it is about something else. */
export function goneOf(refused: string): string | undefined {
  const what = (declared as Readonly<Record<string, (typeof declared)[keyof typeof declared]>>)[refused.replace(/\d+/, '%d')]
  return what === undefined ? undefined : textNow()?.gone[what]
}
