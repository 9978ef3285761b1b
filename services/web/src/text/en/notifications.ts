/** The page of notifications. */
export const notifications = {
  title: 'Notifications',
  personal: 'Private messages and mentions',
  desktop: 'Show them on this computer',
  content: 'Show what private messages say',
  sound: 'Play a sound',
  whichSound: 'Sound',
  push: 'Send them to phones and browsers while you are away',
  pushOnline: 'Send them there while you are here, too',
  mail: 'Send a mail while you are away',
  count: 'The number on the tab counts',
  counts: { all: 'all unread messages', personal: 'private messages and mentions', none: 'nothing' },

  streams: 'Streams',
  streamsHint: 'Streams follow the first line until they have settings of their own.',
  find: 'Find a stream to change',
  noStream: 'There is no such stream among yours.',
  allStreams: 'All streams',
  ways: { desktop: 'Desktop', sound: 'Sound', push: 'Phone', mail: 'Mail', everybody: '@all' },
  wayOf: (way: string, stream: string) => `${way}, ${stream}`,

  mails: 'Mails',
  mailContent: 'Mails have what the messages say',
  mailOrganization: 'Their subject has the organization’s name',
  mailLogin: 'When somebody signs in as you with a new browser',
  mailDigest: 'What you missed after some days away',

  presence: 'Who is there',
  presenceShown: 'Others see when you are there',
  presenceHint: 'Otherwise you appear to be away.',
}
