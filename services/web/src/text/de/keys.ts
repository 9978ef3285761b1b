import type { keyGroups as englishGroups, keyNames as englishNames, keys as english } from '../en/keys'

/** What keys do. */
export const keys: typeof english = {
  next: 'Nächste Nachricht',
  previous: 'Vorige Nachricht',
  end: 'Neueste Nachricht',
  reply: 'Auf die Nachricht antworten',
  newTopic: 'Neues Thema',
  newPrivate: 'Neue private Nachricht',
  nextUnread: 'Nächstes ungelesenes Thema',
  nextPrivate: 'Nächste ungelesene private Unterhaltung',
  search: 'Suchen',
  goTo: 'Zu Unterhaltung, Stream oder Person gehen',
  open: 'Unterhaltung der Nachricht öffnen',
  react: 'Auf die Nachricht reagieren',
  star: 'Nachricht markieren',
  edit: 'Nachricht bearbeiten',
  pictures: 'Bilder der Nachricht',
  unread: 'Ab der Nachricht als ungelesen markieren',
  all: 'Alle Nachrichten',
  recent: 'Letzte Unterhaltungen',
  allPrivate: 'Alle privaten Nachrichten',
  profile: 'Profil des Absenders der Nachricht',
  people: 'Personen finden',
  menu: 'Menü der Organisation',
  back: 'Feld verlassen, oder zu allen Nachrichten',
  help: 'Diese Liste',
  down: 'Eine Seite nach unten',
  up: 'Eine Seite nach oben',
  begin: 'Älteste Nachricht',
  openStream: 'Stream der Nachricht öffnen',
  previousStream: 'Voriger Stream',
  nextStream: 'Nächster Stream',
  streams: 'Alle Streams',
  replyPrivately: 'Nur dem Absender antworten',
  mention: 'Antworten und den Absender erwähnen',
  quote: 'Nachricht zitieren',
  forward: 'Nachricht weiterleiten',
  drafts: 'Entwürfe',
  thumbsUp: 'Mit Daumen hoch reagieren',
  join: 'Sich der ersten Reaktion anschließen',
  collapse: 'Nachricht einklappen oder zeigen',
  move: 'Nachricht verschieben',
  mute: 'Stummschaltung des Themas umschalten',
  messageMenu: 'Weitere Aktionen für die Nachricht',
}

/** The groups of keys in their list. */
export const keyGroups: typeof englishGroups = {
  page: 'Überall',
  reading: 'In den Nachrichten',
  places: 'Zu anderen Orten',
  writing: 'Schreiben',
  message: 'Die ausgewählte Nachricht',
}

/** What is written on keys that have no sign of their own. */
export const keyNames: typeof englishNames = {
  Control: 'Strg',
  End: 'Ende',
  Escape: 'Esc',
  Home: 'Pos1',
  PageDown: 'Bild↓',
  PageUp: 'Bild↑',
}
