import type { sidebar as english } from '../en/sidebar'
import { plural } from './plural'

/** The streams, conversations and views at the side. */
export const sidebar: typeof english = {
  views: 'Ansichten',
  goTo: 'Gehe zu',
  goToHint: 'Thema, Stream oder Person',
  everything: 'Alle Nachrichten',
  mentions: 'Erwähnungen',
  starred: 'Markiert',
  privateMessages: 'Private Nachrichten',
  moreConversations: 'Weitere Unterhaltungen',
  fewerConversations: 'Weniger Unterhaltungen',
  streams: 'Streams',
  noStreams: 'Du hast keinen Stream abonniert.',
  moreTopics: 'Alle Themen',
  fewerTopics: 'Weniger Themen',
  topicsOf: (stream) => `Themen von ${stream}`,
  unread: (count) => plural(count, { other: '{} ungelesen' }),
  starredCount: (count) => plural(count, { other: '{} markiert' }),
  draftCount: (count) => plural(count, { one: '{} Entwurf', other: '{} Entwürfe' }),
  scheduledCount: (count) => plural(count, { other: '{} geplant' }),
  notesToSelf: 'Notizen an dich selbst',
  privateStream: 'privater Stream',
  muted: 'stummgeschaltet',
  online: 'gerade da',
  idle: 'seit einer Weile weg',
}
