/** What keys do. */
export const keys = {
  next: 'Next message',
  previous: 'Previous message',
  end: 'Newest message',
  reply: 'Reply to the message',
  newTopic: 'New topic',
  newPrivate: 'New private message',
  nextUnread: 'Next unread topic',
  nextPrivate: 'Next unread private conversation',
  search: 'Search',
  open: 'Open the message’s conversation',
  react: 'React to the message',
  star: 'Star the message',
  edit: 'Edit the message',
  all: 'All messages',
  back: 'Leave the field, or go to all messages',
  help: 'This list',
}
