import type { Client } from '../client'
import { placeOfNarrow, type Narrow, type Term } from '../state/narrow'
import { last, text } from '../text/text'
import { rank, type Offer } from './completion'
import { dayOperators, operands } from './query'
import { localOf } from './schedule/times'
import { titleOf } from './title'

/** How many suggestions are shown at most. */
const most = 8

/** Something that can be searched for: a term of a narrow, or the beginning of one, which is typed on. */
export interface Found extends Offer {
  readonly key: string
  readonly label: string
  readonly detail: string
  readonly term?: Term
  readonly typed?: string
  /** Terms that come before all that was typed. */
  readonly narrow?: Narrow
  /** Whether it is a day at which what is searched for is opened. */
  readonly day?: boolean
}

/** The word at the end of what was typed: all from start on. */
export function lastWord(typed: string): { readonly start: number; readonly word: string } {
  const [word = ''] = /(?:[^\s"]|"[^"]*"?)*$/.exec(typed) ?? []
  return { start: typed.length - word.length, word }
}

/** Returns what completes the word at the end of what was typed, and before words the place on screen; terms are those that are chosen already. */
export function foundFor(client: Client, typed: string, terms: readonly Term[]): readonly Found[] {
  const { narrow } = client.destination.peek()
  const isOffered = terms.length === 0 && isPlain(client, narrow) && /^([^:]*|(date|before|after):.+)$/.test(lastWord(typed).word)
  const here = isOffered ? [{ key: 'here', names: [], order: 0, label: text.reading.searching.here(titleOf(client, { narrow })), detail: '', narrow }] : []
  return [...completing(client, typed, terms).slice(0, most - here.length), ...here]
}

/** Reports whether a narrow is no search: a place, a stream, or a view of the sidebar. */
export function isPlain(client: Client, narrow: Narrow): boolean {
  const [first] = narrow
  const alone = narrow.length === 1 && !first?.negated && (first?.operator === 'stream' || first?.operator === 'is')
  return alone || placeOfNarrow(narrow, client.state.self.peek()) !== undefined
}

function completing(client: Client, typed: string, terms: readonly Term[]): readonly Found[] {
  const { word } = lastWord(typed)
  const [, sign = '', operator, operand = ''] = /^(-?)(?:([a-z-]+):)?(.*)$/s.exec(word) ?? []
  const wanted = operand.replaceAll('"', '')
  const negated = sign === '-' ? { negated: true } : {}
  if (operator === undefined) {
    if (wanted === '') {
      return typed === '' ? rank(operators(sign), '', most) : []
    }
    return rank([...operators(sign), ...streams(client, negated), ...people(client, 'sender', negated), ...people(client, 'pm-with', negated)], wanted, most)
  }
  switch (operator) {
    case 'stream':
      return rank(streams(client, negated), wanted, most)
    case 'topic':
      return rank(topics(client, terms, negated), wanted, most)
    case 'sender':
    case 'from':
      return rank(people(client, 'sender', negated), wanted, most)
    case 'pm-with':
      return rank(people(client, 'pm-with', negated), wanted, most)
    case 'is':
    case 'has':
    case 'in':
    case 'streams':
      return rank(
        operands[operator].map((one, order) => ({ key: `${operator}-${one}`, names: [one], order, label: `${sign}${operator}:${one}`, detail: text.reading.searching.operands[one] ?? '', term: { operator, operand: one, ...negated } })),
        wanted,
        most,
      )
    case 'date':
    case 'before':
    case 'after':
      return sign === '' ? rank(days(operator, new Date()), wanted, most) : []
    default:
      return []
  }
}

/** The days that are offered. */
function days(operator: string, now: Date): readonly Found[] {
  const [year, month, day] = [now.getFullYear(), now.getMonth(), now.getDate()]
  const offered = { day: new Date(year, month, day - 1), week: new Date(year, month, day - 7), month: new Date(year, month - 1, 1), year: new Date(year - 1, 0, 1) }
  return (['day', 'week', 'month', 'year'] as const).map((unit, order) => {
    const [written = ''] = localOf(offered[unit]).split('T')
    return { key: `${operator}-${unit}`, names: [written, last(unit)], order, label: `${operator}:${written}`, detail: last(unit), day: true }
  })
}

/** The stream whose topics complete a topic; undefined: none is chosen. */
export function streamOf(terms: readonly Term[]): number | undefined {
  const term = terms.find((t) => t.operator === 'stream' && !t.negated)
  return term?.operator === 'stream' ? term.operand : undefined
}

function operators(sign: string): readonly Found[] {
  const words = text.reading.searching.operators
  return (['stream', 'topic', 'sender', 'pm-with', 'is', 'has', ...(sign === '' ? dayOperators : [])] as const).map((one, order) => ({
    key: `operator-${one}`,
    names: [one],
    order,
    label: `${sign}${one}:`,
    detail: words[one],
    typed: `${sign}${one}:`,
  }))
}

function streams({ state }: Client, negated: { negated?: boolean }): readonly Found[] {
  return [...state.streams.value.values()].map((stream) => ({
    key: `stream-${stream.stream_id}`,
    names: [stream.name],
    order: state.subscriptions.value.has(stream.stream_id) ? 10 : 20,
    label: `${negated.negated ? '-' : ''}stream:${stream.name}`,
    detail: stream.description,
    term: { operator: 'stream', operand: stream.stream_id, ...negated },
  }))
}

function topics({ state }: Client, terms: readonly Term[], negated: { negated?: boolean }): readonly Found[] {
  const stream = streamOf(terms)
  const known = stream === undefined ? [...state.topics.value.values()].flat() : (state.topics.value.get(stream) ?? [])
  return [...new Set(known.map((topic) => topic.name))].map((name, order) => ({
    key: `topic-${order}`,
    names: [name],
    order,
    label: `${negated.negated ? '-' : ''}topic:${name}`,
    detail: '',
    term: { operator: 'topic', operand: name, ...negated },
  }))
}

function people({ state }: Client, operator: 'sender' | 'pm-with', negated: { negated?: boolean }): readonly Found[] {
  const words = text.reading.searching.operators
  return [...state.users.value.values()].map((user) => ({
    key: `${operator}-${user.user_id}`,
    names: user.user_id === state.self.value ? [user.full_name, user.email, 'me'] : [user.full_name, user.email],
    order: (operator === 'sender' ? 11 : 12) + (state.inactive.value.has(user.user_id) ? 20 : 0),
    label: `${negated.negated ? '-' : ''}${operator}:${state.termOf(user.user_id)}`,
    detail: words[operator],
    term: operator === 'sender' ? { operator, operand: user.user_id, ...negated } : { operator, operand: [user.user_id], ...negated },
  }))
}
