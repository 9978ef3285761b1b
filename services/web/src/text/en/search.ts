/** Searching. */
export const search = {
  search: 'Search',
  searchHint: 'Search, or stream:, topic:, sender:, is:, has:, date:, before:, after:',
  begunTerm: (term: string) => `Something is missing after ${term}`,
  unknownTerm: (term: string) => `There is no such thing as ${term}`,
  searchResults: (words: string) => `Search: ${words}`,
}
