import type { settings as english } from '../en/settings'

/** The settings of one's own account, and what all pages of settings have in common. */
export const settings: typeof english = {
  title: 'Einstellungen',
  organization: 'Organisation',
  back: 'Zurück zu den Nachrichten',
  pages: 'Seiten der Einstellungen',
  noPage: 'Diese Seite gibt es nicht, oder du darfst sie nicht sehen.',
  saved: 'Gespeichert',
  saving: 'Wird gespeichert …',
  change: (what) => `${what} speichern`,

  display: 'Anzeige',
  look: {
    scheme: 'Farben',
    schemes: { automatic: 'Wie auf diesem Gerät', day: 'Hell', night: 'Dunkel' },
    contrast: 'Höherer Kontrast',
    wide: 'Nachrichten so breit wie das Fenster',
    wideHint: 'Sonst enden Zeilen dort, wo sie sich noch gut lesen lassen.',
  },
}
