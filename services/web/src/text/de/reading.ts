import type { Catalogue } from '../en'
import { plural } from './plural'

/** What is in messages, and what one does while reading. */
export const reading: Catalogue['reading'] = {
  poll: 'Umfrage',
  question: 'Frage',
  editQuestion: 'Frage ändern',
  newOption: 'Noch eine Möglichkeit',
  addOption: 'Hinzufügen',
  votes: (count) => plural(count, { one: 'Stimme', other: 'Stimmen' }),
  others: (count) => plural(count, { one: 'eine weitere Person', other: '{} weitere' }),
  todo: 'Zu erledigen',
  newTask: 'Noch eine Aufgabe, oder Aufgabe: Beschreibung',
  addTask: 'Hinzufügen',

  recent: {
    title: 'Letzte Unterhaltungen',
    filter: 'Thema, Stream oder Person',
    unread: 'Ungelesen',
    mine: 'Mit mir',
    muted: 'Auch stumme',
    conversation: 'Unterhaltung',
    time: 'Neueste Nachricht',
    none: 'So eine Unterhaltung gibt es nicht.',
    more: 'Weiter zurückgehen',
    listed: (count) => plural(count, { one: '1 Unterhaltung', other: '{} Unterhaltungen' }),
  },

  searching: {
    terms: 'Gesucht wird nach',
    removeTerm: (term) => `${term} entfernen`,
    operators: {
      stream: 'Nachrichten eines Streams',
      topic: 'Nachrichten eines Themas',
      sender: 'Nachrichten einer Person',
      'pm-with': 'private Nachrichten mit einer Person',
      is: 'unread, starred, mentioned …',
      has: 'attachment, image oder link',
    },
    operands: {
      unread: 'die du nicht gelesen hast',
      starred: 'die du markiert hast',
      mentioned: 'die dich erwähnen',
      alerted: 'mit einem Signalwort',
      private: 'in privaten Unterhaltungen',
      attachment: 'mit einer Datei',
      image: 'mit einem Bild',
      link: 'mit einem Link',
      home: 'die nicht stumm sind',
      all: 'ob stumm oder nicht',
      public: 'in allen öffentlichen Streams',
    },
    nothingMatchesAll: 'Auf das alles zusammen passt nichts.',
    without: 'Ohne einen Teil suchen',
    withoutTerm: (term) => `Ohne ${term}`,
    everywhere: 'In allen öffentlichen Streams suchen',
    hint: 'Wörter werden in allen Formen gefunden, die sie im Englischen haben; die in Anführungszeichen nur so, wie sie dastehen. Ein Minus vor einem Begriff schließt ihn aus: -has:link.',
  },

  alerts: 'Signalwörter',
  copyCode: 'Code kopieren',
  copied: 'Kopiert',
  table: 'Tabelle',
  more: 'Mehr anzeigen',
  less: 'Weniger anzeigen',
  pictureOf: (at, all) => `${at} von ${all}`,
  original: 'Original öffnen',
  noPicture: 'Dieses Bild kann nicht gezeigt werden.',
  nextPicture: 'Nächstes Bild',
  previousPicture: 'Voriges Bild',

  commands: { me: 'sagt, was du tust: /me winkt', poll: 'stellt eine Frage, mit einer Möglichkeit in jeder Zeile darunter', todo: 'beginnt eine Liste von Aufgaben, mit einer in jeder Zeile darunter' },

  markAllRead: (count) => plural(count, { one: '1 Nachricht als gelesen markieren', other: '{} Nachrichten als gelesen markieren' }),
  paused: 'Hier gilt nichts als gelesen, bis du wiederkommst.',
  resume: 'Als gelesen markieren',
  notReceived: 'Diese Nachricht ist aus einer Zeit ohne Abonnement und gilt immer als gelesen.',
}
