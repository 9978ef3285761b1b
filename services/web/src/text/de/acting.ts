import type { acting as english } from '../en/acting'

/** Was mit Nachrichten, Themen und Streams getan wird. */
export const acting: typeof english = {
  more: 'Mehr',
  remove: { title: 'Diese Nachricht löschen?', sentence: 'Sie verschwindet für alle.', yes: 'Löschen' },
  quote: 'Zitieren',
  said: 'schrieb',
  copyLink: 'Link kopieren',
  copied: 'Kopiert',
  notCopied: (what: string) => `Der Browser lässt die Seite nicht kopieren: ${what}`,
}
