import type { feed as english } from '../en/feed'

/** The list of messages. */
export const feed: typeof english = {
  messages: 'Nachrichten',
  older: 'Ältere Nachrichten werden geladen …',
  newer: 'Neuere Nachrichten werden geladen …',
  nothingHere: 'Hier ist noch nichts.',
  nothingFound: 'Nichts gefunden.',
  beginning: 'Hier fängt es an.',
  newMessages: 'Neu',
  toEnd: 'Neueste Nachrichten',
  sending: 'Wird gesendet …',
  notSent: (why) => `Nicht gesendet. ${why}`,
  discard: 'Verwerfen',
}
