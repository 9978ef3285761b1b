import type { Narrow, Term } from '../state/narrow'
import type { State } from '../state/state'

/** What was typed into the search field: a narrow, maybe with where it is opened, or the word that can't be one. */
export type Query = { readonly narrow: Narrow; readonly at?: Moment } | { readonly unknown: string }

/** Where a narrow is opened: at its first message from a time on, or at the last one before it. */
export interface Moment {
  readonly time: Date
  readonly before: boolean
}

/** Reads what was typed into the search field: terms such as stream:name or -has:link, with quotes around blanks, and words. */
export function read(typed: string, state: State): Query {
  const terms: Term[] = []
  const words: string[] = []
  let at: Moment | undefined
  for (const [piece] of typed.matchAll(/(?:[^\s"]|"[^"]*"?)+/g)) {
    const [, sign, operator, operand] = /^(-?)([a-z]+(?:[-_][a-z]+)*):(.*)$/.exec(piece) ?? []
    if (operator === undefined || operand === undefined || !operators.has(operator.replaceAll('_', '-'))) {
      words.push(piece)
      continue
    }
    if (isDay(operator)) {
      const day = sign === '' ? dayOf(operand) : undefined
      at = day && momentOf(operator, day)
      if (at === undefined) {
        return { unknown: piece }
      }
      continue
    }
    const term = termOf(operator.replaceAll('_', '-'), operand.replaceAll('"', ''), state)
    if (term === undefined) {
      return { unknown: piece }
    }
    terms.push(sign === '-' ? { ...term, negated: true } : term)
  }
  const narrow: Narrow = words.length === 0 ? terms : [...terms, { operator: 'search', operand: words.join(' ') }]
  return at === undefined ? { narrow } : { narrow, at }
}

/** The operators that take a day. */
export const dayOperators = ['date', 'before', 'after'] as const

function isDay(operator: string): operator is (typeof dayOperators)[number] {
  return (dayOperators as readonly string[]).includes(operator)
}

/** Returns the moment for a day: date: is from its beginning on, before: and after: are without the day. */
function momentOf(operator: (typeof dayOperators)[number], day: Date): Moment {
  const next = new Date(day.getFullYear(), day.getMonth(), day.getDate() + 1)
  return { time: operator === 'after' ? next : day, before: operator === 'before' }
}

/** Returns the beginning of a day that is written as 2026-10-31 or 31.10.2026; undefined: there is no such day. */
function dayOf(written: string): Date | undefined {
  const parts = /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(written)?.slice(1) ?? /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/.exec(written)?.slice(1).reverse() ?? []
  const [year = NaN, month = NaN, day = NaN] = parts.map(Number)
  const date = new Date(year, month - 1, day)
  return date.getMonth() + 1 === month && date.getDate() === day ? date : undefined
}

/** What the operators take that have no names. */
export const operands = {
  is: ['unread', 'starred', 'mentioned', 'alerted', 'private'],
  has: ['attachment', 'image', 'link'],
  in: ['home', 'all'],
  streams: ['public'],
} as const

const operators = new Set<string>([...dayOperators, 'stream', 'topic', 'sender', 'from', 'pm-with', 'is', 'has', 'in', 'streams'])

function termOf(operator: string, operand: string, state: State): Term | undefined {
  switch (operator) {
    case 'stream': {
      const stream = operand === '' ? undefined : find(state.streams.peek().values(), operand, (s) => [s.name])
      return stream && { operator, operand: stream.stream_id }
    }
    case 'sender':
    case 'from': {
      const user = person(operand, state)
      return user === undefined ? undefined : { operator: 'sender', operand: user }
    }
    case 'pm-with': {
      const people = operand.split(',').map((name) => person(name.trim(), state))
      return people.every((id) => id !== undefined) ? { operator, operand: people } : undefined
    }
    case 'topic':
      return operand === '' ? undefined : { operator, operand }
    case 'is':
    case 'has':
    case 'in':
    case 'streams':
      return (operands[operator] as readonly string[]).includes(operand) ? { operator, operand } : undefined
    default:
      return undefined
  }
}

function person(name: string, state: State): number | undefined {
  if (name === '') {
    return undefined
  }
  return name.toLowerCase() === 'me' ? state.self.peek() : find(state.users.peek().values(), name, (u) => [u.full_name, u.email])?.user_id
}

/** Returns what is called so, or else the first whose name begins so. */
function find<T>(all: Iterable<T>, name: string, names: (one: T) => readonly string[]): T | undefined {
  const wanted = name.toLowerCase()
  let begins: T | undefined
  for (const one of all) {
    const these = names(one).map((n) => n.toLowerCase())
    if (these.includes(wanted)) {
      return one
    }
    begins ??= these.some((n) => n.startsWith(wanted)) ? one : undefined
  }
  return begins
}
