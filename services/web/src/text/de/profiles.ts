import type { profiles as english } from '../en/profiles'
import { plural } from './plural'

/** People: who they are, who is there, and what one says of oneself. */
export const profiles: typeof english = {
  people: 'Personen',
  find: 'Personen finden',
  nobody: 'So heißt niemand.',
  moreOf: (count) => plural(count, { other: '{} weitere' }),
  more: 'Mehr',
  profileOf: (name) => `Profil von ${name}`,
  unknown: 'Über dieses Konto ist nichts bekannt.',
  inactive: 'Dieses Konto wurde deaktiviert.',
  away: 'nicht da',
  lastSeen: (when) => `zuletzt da ${when}`,
  localTime: (time) => `dort ist es ${time}`,
  theirTime: (name, time) => `Bei ${name} ist es ${time}.`,
  groups: 'Gruppen',
  noGroup: 'Diese Gruppe gibt es nicht mehr.',
  members: (count) => plural(count, { one: '{} Mitglied', other: '{} Mitglieder' }),
  write: 'Private Nachricht',
  mention: 'Erwähnen',
  messages: 'Gesendete Nachrichten',
  copyAddress: 'Adresse kopieren',
  manage: 'Konto verwalten',

  status: 'Dein Status',
  statusText: 'Was du gerade machst',
  suggestions: 'Vorschläge',
  statuses: ['📅 In einer Besprechung', '🍽️ Beim Mittagessen', '🏠 Im Homeoffice', '🌴 Im Urlaub', '🤒 Krank'],
  clearStatus: 'Löschen',
  lookAway: 'Als abwesend erscheinen',
}
