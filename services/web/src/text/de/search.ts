import type { search as english } from '../en/search'

/** Searching. */
export const search: typeof english = {
  search: 'Suchen',
  searchHint: 'Suchen, auch mit stream:, topic:, sender:, is:, has:, date:, before:, after:',
  begunTerm: (term) => `Nach ${term} fehlt etwas`,
  unknownTerm: (term) => `${term} gibt es nicht`,
  searchResults: (words) => `Suche: ${words}`,
}
