import type { gone as english } from '../en/gone'

/** What is said where an action is about something that is gone. */
export const gone: typeof english = {
  archive: 'Dieses Archiv gibt es nicht mehr.',
  bot: 'Diesen Bot gibt es nicht mehr.',
  draft: 'Diesen Entwurf gibt es nicht mehr.',
  emoji: 'Dieses Emoji gibt es nicht mehr.',
  file: 'Diese Datei gibt es nicht mehr.',
  group: 'Diese Gruppe gibt es nicht mehr.',
  invitation: 'Diese Einladung gibt es nicht mehr.',
  link: 'Diesen Link gibt es nicht mehr.',
  message: 'Diese Nachricht gibt es nicht mehr, oder sie ist nicht für dich.',
  person: 'Dieses Konto gibt es nicht mehr.',
  question: 'Diese Frage gibt es nicht mehr.',
  scheduled: 'Diese Nachricht ist nicht mehr geplant.',
  session: 'Dort ist niemand mehr angemeldet.',
  stream: 'Diesen Stream gibt es nicht mehr, oder er ist nicht für dich.',
}
