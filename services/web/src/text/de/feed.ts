import type { feed as english } from '../en/feed'
import { plural } from './plural'

/** The list of messages. */
export const feed: typeof english = {
  messages: 'Nachrichten',
  older: 'Ältere Nachrichten werden geladen …',
  nothingHere: 'Hier ist noch nichts.',
  nothingIs: {
    starred: 'Markiere eine Nachricht mit dem Stern, um sie hier wiederzufinden.',
    mentioned: 'Hier stehen Nachrichten, die dich erwähnen.',
    alerted: 'Hier stehen Nachrichten mit einem deiner Signalwörter.',
    private: 'Hier stehen deine privaten Unterhaltungen. Beginne unten eine.',
    unread: 'Du hast alles gelesen.',
  },
  nothingYet: 'Es gibt noch nichts zu lesen. Beginne unten ein Thema oder eine private Nachricht.',
  nothingFound: 'Nichts gefunden.',
  notSubscribed: 'Du hast diesen Stream nicht abonniert, darum erscheinen neue Nachrichten hier nicht von selbst.',
  othersWrite: {
    admins: 'In diesem Stream können nur Administratoren schreiben.',
    newMembers: 'In diesem Stream können nur neue Mitglieder schreiben.',
    subscribers: 'In diesem Stream kann nur schreiben, wer ihn abonniert hat.',
  },
  hasLeft: (name) => `Das Konto von ${name} ist deaktiviert: Dorthin kann nichts gesendet werden.`,
  noSuchStream: (stream) => `Den Stream ${stream} gibt es nicht mehr, oder du hast ihn nicht abonniert.`,
  beginning: 'Hier fängt es an.',
  newMessages: 'Neu',
  arrived: (count) => plural(count, { one: '1 neue Nachricht', other: '{} neue Nachrichten' }),
  toEnd: 'Neueste Nachrichten',
  sending: 'Wird gesendet …',
  notSent: (why) => `Nicht gesendet. ${why}`,
  notSentYet: (why) => `Noch nicht gesendet. ${why} Es wird wieder versucht …`,
  unsent: 'Nicht gesendet:',
  sentUnknown: 'Es ist nicht bekannt, ob das gesendet wurde.',
  discard: 'Verwerfen',
}
