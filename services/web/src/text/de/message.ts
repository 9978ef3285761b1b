import type { message as english } from '../en/message'

/** One message, and what one can do with it. */
export const message: typeof english = {
  edited: 'bearbeitet',
  spoiler: 'Spoiler',
  reply: 'Antworten',
  react: 'Reagieren',
  star: 'Markieren',
  unstar: 'Markierung entfernen',
  edit: 'Bearbeiten',
  remove: 'Löschen',
  actions: (sender) => `Aktionen für die Nachricht von ${sender}`,
  reactedBy: (names, emoji) => `Mit ${emoji} reagiert: ${names}`,
  emoji: 'Emoji',
  findEmoji: 'Emoji suchen',
  noEmoji: 'So ein Emoji gibt es nicht.',
}
