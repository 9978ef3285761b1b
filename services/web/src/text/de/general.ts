import type { general as english } from '../en/general'

/** What belongs to no part of the screen. */
export const general: typeof english = {
  locale: 'de',
  direction: 'ltr',

  loading: 'Wird geladen …',
  notReached: 'Der Server ist nicht erreichbar. Neuer Versuch …',
  unreachable: 'Der Server ist nicht erreichbar.',
  intercepted: 'Etwas anderes hat anstelle des Servers geantwortet. Vielleicht verlangt dieses Netz erst eine Anmeldung.',
  otherAnswer: (status) => `Etwas zwischen dir und dem Server hat an seiner Stelle geantwortet, mit dem Fehler ${status}.`,
  offline: 'Keine Verbindung. Neuer Versuch …',
  otherVersion: 'Der Server hat eine andere Version dieser Seite.',
  reload: 'Laden',
  tryAgain: 'Noch einmal versuchen',
  notLoaded: 'Das konnte nicht geladen werden.',
  menu: 'Menü',
  help: 'Tastenkürzel',
  helpForPrograms: 'Die Schnittstelle für Programme und Bots',
  close: 'Schließen',
  cancel: 'Abbrechen',
  save: 'Speichern',
  notListed: 'Aus der Liste wählen, oder leer lassen.',
  noneCalled: 'Nichts heißt so.',
  unknownUser: (id) => `Konto ${id}`,
  unknownStream: (id) => `Stream ${id}`,
  unknownStreamTitle: 'Unbekannter Stream',
  you: 'Du',
  bot: 'Bot',
  deactivated: 'deaktiviert',
  today: 'Heute',
  yesterday: 'Gestern',
}
