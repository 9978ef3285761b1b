import type { keys as english } from '../en/keys'

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
  open: 'Unterhaltung der Nachricht öffnen',
  react: 'Auf die Nachricht reagieren',
  star: 'Nachricht markieren',
  edit: 'Nachricht bearbeiten',
  pictures: 'Bilder der Nachricht',
  unread: 'Ab der Nachricht als ungelesen markieren',
  all: 'Alle Nachrichten',
  recent: 'Letzte Unterhaltungen',
  allPrivate: 'Alle privaten Nachrichten',
  menu: 'Menü der Organisation',
  back: 'Feld verlassen, oder zu allen Nachrichten',
  help: 'Diese Liste',
}
