/** Notifications and sounds. */
export const alerts = {
  title: 'Notifications',
  question: 'Shall this browser show a notification when somebody writes to you?',
  yes: 'Yes, show them',
  no: 'No',
  pause: 'Pause notifications',
  pauseHint: 'In this browser: it shows none, and plays no sounds. What comes meanwhile is among your messages.',
  pausedUntil: (time: string) => `Paused until ${time}`,
  quietUntil: (time: string) => `quiet until ${time}`,
  pauses: { none: 'Don’t pause', hour: 'For an hour', tomorrow: 'Until tomorrow at nine' },
  nights: 'Pause them every night',
  from: 'from',
  to: 'until',
  push: 'Notify me here while the page isn’t open',
  pushHint: 'This browser, on this device. It ends when you sign out.',
  /** Why a browser can't be notified. */
  hindrances: {
    browser: 'This browser can’t show notifications while the page isn’t open.',
    forbidden: 'The browser doesn’t let this page show notifications. Its settings for this site can change that.',
    server: 'This server doesn’t notify browsers.',
    service: 'The browser couldn’t reach its maker’s notification service.',
  },
}
