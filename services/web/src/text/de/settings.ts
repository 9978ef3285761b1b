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
  letters: 'Tasten mit einem Buchstaben oder Zeichen',
  lettersHint: 'Wer diktiert oder leicht danebengreift, schaltet sie in diesem Browser aus. Pfeile, Enter und Esc funktionieren weiter, alles andere steht in Menüs.',

  display: 'Anzeige',
  look: {
    scheme: 'Farben',
    schemes: { automatic: 'Wie auf diesem Gerät', day: 'Hell', night: 'Dunkel' },
    dense: 'Kompakt',
    denseHint: 'Sonst ist alles etwas größer.',
    starredCount: 'Markierte Nachrichten in der Seitenleiste zählen',
    language: 'Sprache',
    clock: 'Uhrzeit',
    clocks: { long: '17:00', short: '5:00 PM' },
    zone: 'Zeitzone',
    zoneHint: 'Andere sehen, wie spät es bei dir ist.',
    emoji: 'Emoji in Nachrichten',
    emojis: { pictures: 'Bilder dieses Geräts', words: 'Wörter, etwa :tada:' },
    emoticons: 'Smileys in deinen Nachrichten werden zu Emoji',
    emoticonsHint: 'Etwa :-) oder <3',
    contrast: 'Höherer Kontrast',
    wide: 'Nachrichten so breit wie das Fenster',
    wideHint: 'Sonst enden Zeilen dort, wo sie sich noch gut lesen lassen.',
  },
}
