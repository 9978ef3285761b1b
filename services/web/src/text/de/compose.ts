import type { compose as english } from '../en/compose'
import { plural } from './plural'

const list = new Intl.ListFormat('de')

/** Writing messages. */
export const compose: typeof english = {
  message: 'Nachricht',
  messageTo: (place) => `Nachricht an ${place}`,
  newTopic: 'Neues Thema',
  newPrivate: 'Neue private Nachricht',
  stream: 'Stream',
  topic: 'Thema',
  to: 'An',
  people: 'Personen',
  addPerson: 'Jemanden hinzufügen',
  removePerson: (name) => `${name} entfernen`,
  chooseStream: 'Stream auswählen',
  send: 'Senden',
  enterSends: 'Enter sendet',
  noPlace: 'Wähle zuerst aus, wohin das gehen soll.',
  mandatoryTopic: 'Nachrichten brauchen hier ein Thema.',
  tooLong: (count, most) => `${count} von höchstens ${most} Bytes`,
  formatting: 'Formatierung',
  formats: { bold: 'Fett', italic: 'Kursiv', code: 'Code', link: 'Link', quote: 'Zitat', list: 'Liste', spoiler: 'Spoiler' },
  preview: 'Vorschau',
  attach: 'Dateien anhängen',
  uploads: 'Dateien, die hochgeladen werden',
  uploading: (name) => `${name} wird hochgeladen …`,
  stopUpload: (name) => `${name} nicht weiter hochladen`,
  notUploaded: (name, why) => `${name} wurde nicht hochgeladen. ${why}`,
  tooLarge: (mebibytes) => `Dateien dürfen höchstens ${mebibytes} MiB groß sein.`,
  noUploads: 'Hier kann man keine Dateien hochladen.',
  stillUploading: 'Es werden noch Dateien hochgeladen.',
  suggestions: 'Vorschläge',
  suggested: (count) => plural(count, { one: '{} Vorschlag', other: '{} Vorschläge' }),
  userGroup: 'Gruppe',
  wildcard: 'alle, die das bekommen',
  typing: (names) => `${list.format(names)} ${names.length === 1 ? 'schreibt' : 'schreiben'} …`,
}
