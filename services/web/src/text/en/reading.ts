import { plural } from './plural'

/** What is in messages, and what one does while reading. */
export const reading = {
  poll: 'Poll',
  question: 'Question',
  editQuestion: 'Change the question',
  newOption: 'Another option',
  addOption: 'Add option',
  votes: (count: number) => plural(count, { one: 'vote', other: 'votes' }),
  others: (count: number) => plural(count, { one: '1 other', other: '{} others' }),
  todo: 'To do',
  newTask: 'Another task, or task: description',
  addTask: 'Add task',

  recent: {
    title: 'Recent conversations',
    filter: 'Topic, stream or person',
    unread: 'Unread',
    mine: 'With me',
    muted: 'Muted, too',
    conversation: 'Conversation',
    time: 'Newest message',
    none: 'There is no such conversation.',
    more: 'Look further back',
    listed: (count: number) => plural(count, { one: '1 conversation', other: '{} conversations' }),
  },

  alerts: 'Alert words',
  copyCode: 'Copy the code',
  copied: 'Copied',
  table: 'Table',
  more: 'Show more',
  less: 'Show less',
  pictureOf: (at: number, all: number) => `${at} of ${all}`,
  original: 'Open the original',
  noPicture: 'This picture can’t be shown.',
  nextPicture: 'Next picture',
  previousPicture: 'Previous picture',

  commands: { me: 'says what you do: /me waves', poll: 'asks a question, with an option in each line below it', todo: 'begins a list of tasks' },

  markAllRead: (count: number) => plural(count, { one: 'Mark 1 message as read', other: 'Mark {} messages as read' }),
  paused: 'Nothing is marked as read here until you come back.',
  resume: 'Mark as read',
}
