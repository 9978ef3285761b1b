/** The list of messages. */
export const feed = {
  messages: 'Messages',
  older: 'Loading older messages…',
  nothingHere: 'Nothing here yet.',
  nothingYet: 'Nobody has written anything yet. Begin a topic in a stream, or invite those you want to write with.',
  nothingFound: 'Nothing was found.',
  noMessage: 'This message is gone, or isn’t for you.',
  beginning: 'This is the beginning.',
  newMessages: 'New',
  toEnd: 'Newest messages',
  sending: 'Sending…',
  notSent: (why: string) => `Not sent. ${why}`,
  notSentYet: (why: string) => `Not sent yet. ${why} Trying again…`,
  unsent: 'Not sent:',
  sentUnknown: 'It isn’t known whether this was sent.',
  discard: 'Discard',
}
