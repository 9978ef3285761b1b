import type { Client } from '../client'
import { placeOfNarrow, streamOfNarrow, type Destination, type Narrow, type Term } from '../state/narrow'
import { isolated, text } from '../text/text'

/** Returns the heading of what one looks at. */
export function titleOf(client: Client, { narrow, recent }: Destination): string {
  if (recent === true) {
    return text.reading.recent.title
  }
  const place = placeOfNarrow(narrow, client.state.self.value)
  const stream = place !== undefined || narrow.length === 1 ? streamOfNarrow(narrow) : undefined
  if (stream !== undefined && client.state.knownName(stream) === undefined) { // none of its messages can be seen, either
    return text.unknownStreamTitle
  }
  if (place !== undefined) {
    return place.kind === 'private' && place.people.length === 0 ? text.notesToSelf : client.nameOf(place)
  }
  const [first] = narrow
  if (first === undefined) {
    return text.everything
  }
  if (narrow.length === 1 && !first.negated) {
    return titleOfTerm(client, first)
  }
  return text.searchResults(wordsOf(client, narrow))
}

function titleOfTerm(client: Client, term: Term): string {
  switch (term.operator) {
    case 'stream':
      return '#' + isolated(client.state.streamName(term.operand))
    case 'is':
      return { starred: text.starred, mentioned: text.mentions, alerted: text.reading.alerts, private: text.privateMessages }[term.operand] ?? text.searchResults(`is:${term.operand}`)
    default:
      return text.searchResults(wordsOf(client, [term]))
  }
}

/** Returns a narrow as it is typed into the search field. */
export function wordsOf(client: Client, narrow: Narrow): string {
  return narrow
    .map((term) => {
      const sign = term.negated ? '-' : ''
      return term.operator === 'search' ? term.operand : `${sign}${term.operator}:${quoted(operandOf(client, term))}`
    })
    .join(' ')
}

function operandOf(client: Client, term: Term): string {
  switch (term.operator) {
    case 'stream':
      return client.state.streamName(term.operand)
    case 'sender':
      return client.state.termOf(term.operand)
    case 'pm-with':
      return term.operand.map((id) => client.state.termOf(id)).join(',')
    default:
      return term.operand
  }
}

function quoted(text: string): string {
  return /\s/.test(text) ? `"${text}"` : text
}
