import { plural } from './plural'

/** The streams, conversations and views at the side. */
export const sidebar = {
  views: 'Views',
  goTo: 'Go to',
  goToHint: 'Topic, stream or person',
  everything: 'All messages',
  mentions: 'Mentions',
  starred: 'Starred',
  privateMessages: 'Private messages',
  moreConversations: 'More conversations',
  fewerConversations: 'Fewer conversations',
  streams: 'Streams',
  noStreams: 'You aren’t subscribed to any stream.',
  moreTopics: 'All topics',
  fewerTopics: 'Fewer topics',
  topicsOf: (stream: string) => `Topics of ${stream}`,
  unread: (count: number) => plural(count, { other: '{} unread' }),
  starredCount: (count: number) => plural(count, { other: '{} starred' }),
  draftCount: (count: number) => plural(count, { one: '{} draft', other: '{} drafts' }),
  scheduledCount: (count: number) => plural(count, { other: '{} scheduled' }),
  notesToSelf: 'Notes to yourself',
  privateStream: 'private stream',
  muted: 'muted',
  online: 'there now',
  idle: 'away for a while',
}
