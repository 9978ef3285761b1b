import type { alerts as english } from '../en/alerts'

/** Notifications and sounds. */
export const alerts: typeof english = {
  title: 'Benachrichtigungen',
  question: 'Soll dieser Browser dich benachrichtigen, wenn dir jemand schreibt?',
  yes: 'Ja, gern',
  no: 'Nein',
  pause: 'Benachrichtigungen anhalten',
  pauseHint: 'In diesem Browser: Er zeigt keine und gibt keinen Ton. Was inzwischen kommt, steht in deinen Nachrichten.',
  pausedUntil: (time) => `Angehalten bis ${time}`,
  quietUntil: (time) => `Ruhe bis ${time}`,
  pauses: { none: 'Nicht anhalten', hour: 'Eine Stunde lang', tomorrow: 'Bis morgen um neun' },
  nights: 'Jede Nacht anhalten',
  from: 'von',
  to: 'bis',
  push: 'Hier benachrichtigen, auch wenn die Seite nicht offen ist',
  pushHint: 'Nur dieser Browser auf diesem Gerät, bis du dich abmeldest.',
  hindrances: {
    browser: 'Dieser Browser kann nicht benachrichtigen, wenn die Seite nicht offen ist.',
    forbidden: 'Der Browser erlaubt dieser Seite keine Benachrichtigungen. In seinen Einstellungen für diese Seite lässt sich das ändern.',
    server: 'Dieser Server benachrichtigt keine Browser.',
    service: 'Der Browser hat den Benachrichtigungsdienst seines Herstellers nicht erreicht.',
  },
}
