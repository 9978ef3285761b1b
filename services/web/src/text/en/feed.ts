/** The list of messages. */
export const feed = {
  messages: 'Messages',
  older: 'Loading older messages…',
  nothingHere: 'Nothing here yet.',
  nothingYet: 'There is nothing to read yet. Begin a topic or a private message below.',
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
