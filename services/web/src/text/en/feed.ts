import { plural } from './plural'

/** The list of messages. */
export const feed = {
  messages: 'Messages',
  older: 'Loading older messages…',
  nothingHere: 'Nothing here yet.',
  nothingIs: {
    starred: 'Star a message to find it here.',
    mentioned: 'Messages that mention you are here.',
    alerted: 'Messages with one of your alert words are here.',
    private: 'Your private conversations are here. Begin one below.',
    unread: 'You have read everything.',
  },
  nothingYet: 'There is nothing to read yet. Begin a topic or a private message below.',
  nothingFound: 'Nothing was found.',
  notSubscribed: 'You aren’t subscribed to this stream, so new messages don’t appear here by themselves.',
  othersWrite: {
    admins: 'Only administrators can write to this stream.',
    newMembers: 'Only new members can write to this stream.',
    subscribers: 'Only those who are subscribed to this stream can write to it.',
  },
  hasLeft: (name: string) => `The account of ${name} is deactivated: nothing can be sent to it.`,
  noSuchStream: (stream: string) => `${stream} is gone, or you aren’t subscribed to it.`,
  beginning: 'This is the beginning.',
  newMessages: 'New',
  arrived: (count: number) => plural(count, { one: '1 new message', other: '{} new messages' }),
  toEnd: 'Newest messages',
  sending: 'Sending…',
  notSent: (why: string) => `Not sent. ${why}`,
  notSentYet: (why: string) => `Not sent yet. ${why} Trying again…`,
  unsent: 'Not sent:',
  sentUnknown: 'It isn’t known whether this was sent.',
  discard: 'Discard',
}
