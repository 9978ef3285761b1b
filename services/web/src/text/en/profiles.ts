import { plural } from './plural'

/** People: who they are, who is there, and what one says of oneself. */
export const profiles = {
  people: 'People',
  find: 'Find people',
  nobody: 'Nobody is called that.',
  moreOf: (count: number) => plural(count, { other: '{} more' }),
  more: 'More',
  profileOf: (name: string) => `Profile of ${name}`,
  unknown: 'Nothing is known of this account.',
  inactive: 'This account was deactivated.',
  away: 'away',
  lastSeen: (when: string) => `last here ${when}`,
  localTime: (time: string) => `${time} there`,
  theirTime: (name: string, time: string) => `It is ${time} where ${name} is.`,
  groups: 'Groups',
  noGroup: 'This group is gone.',
  members: (count: number) => plural(count, { one: '{} member', other: '{} members' }),
  write: 'Private message',
  mention: 'Mention',
  messages: 'Messages sent',
  copyAddress: 'Copy the address',
  manage: 'Manage the account',

  status: 'Your status',
  statusText: 'What you are doing',
  suggestions: 'Suggestions',
  statuses: ['📅 In a meeting', '🍽️ At lunch', '🏠 Working from home', '🌴 On holiday', '🤒 Ill'],
  clearStatus: 'Clear',
  lookAway: 'Appear away',
}
