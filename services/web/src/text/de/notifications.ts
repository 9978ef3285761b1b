import type { notifications as english } from '../en/notifications'

/** The page of notifications. */
export const notifications: typeof english = {
  title: 'Benachrichtigungen',
  personal: 'Private Nachrichten und Erwähnungen',
  desktop: 'Auf diesem Computer zeigen',
  content: 'Zeigen, was in privaten Nachrichten steht',
  sound: 'Einen Ton spielen',
  whichSound: 'Ton',
  push: 'An Handys und Browser senden, während du weg bist',
  pushOnline: 'Auch dorthin senden, während du da bist',
  mail: 'Eine E-Mail senden, während du weg bist',
  count: 'Die Zahl auf dem Tab zählt',
  counts: { all: 'alle ungelesenen Nachrichten', personal: 'private Nachrichten und Erwähnungen', none: 'nichts' },

  streams: 'Streams',
  streamsHint: 'Streams richten sich nach der ersten Zeile, bis sie eigene Einstellungen haben.',
  find: 'Einen Stream zum Ändern finden',
  noStream: 'So einen Stream hast du nicht abonniert.',
  allStreams: 'Alle Streams',
  ways: { desktop: 'Desktop', sound: 'Ton', push: 'Handy', mail: 'E-Mail', everybody: '@all' },
  wayOf: (way, stream) => `${way}, ${stream}`,

  mails: 'E-Mails',
  mailContent: 'In E-Mails steht, was die Nachrichten sagen',
  mailOrganization: 'Im Betreff steht der Name der Organisation',
  mailLogin: 'Wenn sich jemand mit einem neuen Browser als du anmeldet',
  mailDigest: 'Was du nach einigen Tagen Abwesenheit verpasst hast',

  presence: 'Wer da ist',
  presenceShown: 'Andere sehen, wann du da bist',
  presenceHint: 'Sonst erscheinst du als abwesend.',
}
