/** What belongs to no part of the screen. */
export const general = {
  locale: 'en',
  /** The direction in which text is written. */
  direction: 'ltr' as 'ltr' | 'rtl',

  loading: 'Loading…',
  notReached: 'The server can’t be reached. Trying again…',
  unreachable: 'The server can’t be reached.',
  offline: 'No connection. Trying again…',
  otherVersion: 'The server has another version of this page.',
  reload: 'Load it',
  tryAgain: 'Try again',
  notLoaded: 'This couldn’t be loaded.',
  menu: 'Menu',
  help: 'Keyboard shortcuts',
  helpForPrograms: 'The interface for programs and bots',
  close: 'Close',
  cancel: 'Cancel',
  save: 'Save',
  notListed: 'Choose from the list, or leave this empty.',
  unknownUser: (id: number) => `User ${id}`,
  unknownStream: (id: number) => `Stream ${id}`,
  you: 'You',
  bot: 'bot',
  today: 'Today',
  yesterday: 'Yesterday',
}
