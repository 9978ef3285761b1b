/** What is said where an action is about something that is gone. */
export const gone = {
  archive: 'This archive is gone.',
  bot: 'This bot is gone.',
  draft: 'This draft is gone.',
  emoji: 'This emoji is gone.',
  file: 'This file is gone.',
  group: 'This group is gone.',
  invitation: 'This invitation is gone.',
  link: 'This link is gone.',
  message: 'This message is gone, or isn’t for you.',
  person: 'This account is gone.',
  question: 'This question is gone.',
  scheduled: 'This message is no longer scheduled.',
  session: 'Nobody is signed in there any more.',
  stream: 'This stream is gone, or isn’t for you.',
}
