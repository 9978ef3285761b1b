import { keyOf, privatePlace, topicKey, type Place, type TopicPlace } from './conversation'
import type { Message } from './model'

/** A term of a narrow, as the interface takes it (rest-api.md, section 2.4). */
export type Term = { readonly negated?: boolean } & (
  | { readonly operator: 'stream' | 'sender'; readonly operand: number }
  | { readonly operator: 'pm-with'; readonly operand: readonly number[] }
  | { readonly operator: 'topic' | 'is' | 'has' | 'in' | 'streams' | 'search'; readonly operand: string }
)

/** What somebody looks at: the messages for which all terms hold. Without terms it is everything. */
export type Narrow = readonly Term[]

/** A term of a narrow as the server takes it. */
export interface WireTerm {
  readonly operator: string
  readonly operand: string | number | readonly number[]
  readonly negated?: boolean
}

/** A narrow with the message that is to be on screen. */
export interface Destination {
  readonly narrow: Narrow
  /** The message; undefined: the first unread one, or the end. */
  readonly near?: number
  /** The table of conversations is shown in place of messages. */
  readonly recent?: true
}

/** Returns a destination as narrowTo has it: addresses of private conversations may name the account itself among their people. */
export function withoutSelf(to: Destination, self: number): Destination {
  const names = (term: Term) => term.operator === 'pm-with' && term.operand.includes(self)
  if (!to.narrow.some(names)) {
    return to
  }
  return { ...to, narrow: to.narrow.map((term) => (term.operator === 'pm-with' ? { ...term, operand: privatePlace(term.operand, self).people } : term)) }
}

/** Returns the narrow of a place. */
export function narrowTo(place: Place): Narrow {
  if (place.kind === 'private') {
    return [{ operator: 'pm-with', operand: place.people }]
  }
  return [
    { operator: 'stream', operand: place.stream },
    { operator: 'topic', operand: place.topic },
  ]
}

/** Returns the place that a narrow shows, if it shows one place alone. */
export function placeOfNarrow(narrow: Narrow, self: number): Place | undefined {
  const [first, second] = narrow
  if (narrow.some((term) => term.negated)) {
    return undefined
  }
  if (narrow.length === 2 && first?.operator === 'stream' && second?.operator === 'topic') {
    return { kind: 'topic', stream: first.operand, topic: second.operand }
  }
  if (narrow.length === 1 && first?.operator === 'pm-with') {
    return privatePlace(first.operand, self)
  }
  return undefined
}

/** Reports whether a narrow shows what an account sends to a place, as far as is known before it is sent. */
export function showsSent(narrow: Narrow, place: Place, self: number): boolean {
  return narrow.every((term) => !term.negated && showsSentBy(term, place, self))
}

function showsSentBy(term: Term, place: Place, self: number): boolean {
  switch (term.operator) {
    case 'stream':
      return place.kind === 'topic' && place.stream === term.operand
    case 'topic':
      return place.kind === 'topic' && topicKey(place.topic) === topicKey(term.operand)
    case 'pm-with':
      return keyOf(place) === keyOf(privatePlace(term.operand, self))
    case 'sender':
      return term.operand === self
    case 'is':
      return term.operand === 'private' && place.kind === 'private'
    case 'in':
      return true
    default:
      return false
  }
}

/** Reports whether a narrow searches among messages: the newest of them are wanted first, whatever was read. */
export function isSearch(narrow: Narrow): boolean {
  return narrow.some((term) => term.negated || term.operator === 'search' || term.operator === 'has' || term.operator === 'sender')
}

/** Returns the stream that a narrow is about, if there is one. */
export function streamOfNarrow(narrow: Narrow): number | undefined {
  const term = narrow.find((t) => t.operator === 'stream' && !t.negated)
  return term?.operator === 'stream' ? term.operand : undefined
}

/** Reports whether messages that are moved to a topic may be new to a narrow: it selects by stream or topic, and by nothing else. */
export function mayGain(narrow: Narrow, to: TopicPlace): boolean {
  const selecting = narrow.filter((term) => term.operator === 'stream' || term.operator === 'topic')
  return selecting.length > 0 && selecting.every((term) => showsSentBy(term, to, 0) === !term.negated) // whoever sends
}

/** The flags of which each view of flags wants one. */
const flagsOf: Readonly<Record<string, readonly string[]>> = { starred: ['starred'], mentioned: ['mentioned', 'wildcard_mentioned'], alerted: ['has_alert_word'] }

/** Reports whether messages that have some flags now may be new to a narrow: it selects by one of these. */
export function mayGainBy(narrow: Narrow, flags: readonly string[]): boolean {
  return narrow.some((term) => term.operator === 'is' && !term.negated && flagsOf[term.operand]?.some((flag) => flags.includes(flag)))
}

/** A text that is the same for the same narrow. */
export function keyOfNarrow(narrow: Narrow): string {
  return JSON.stringify(narrow.map((t) => [t.operator, typeof t.operand === 'string' && t.operator === 'topic' ? topicKey(t.operand) : t.operand, t.negated ?? false]))
}

/** Reports whether two narrows show the same messages. */
export function sameNarrow(a: Narrow, b: Narrow): boolean {
  return keyOfNarrow(a) === keyOfNarrow(b)
}

/**
 * Reports whether a message matches a narrow, for an account; undefined: only the server can say. Where a stream's messages that
 * the account didn't get would match, they aren't among the events either.
 */
export function matches(narrow: Narrow, message: Message, self: number): boolean | undefined {
  let known = true
  for (const term of narrow) {
    const matched = matchesTerm(term, message, self)
    if (matched === undefined) {
      known = false
    } else if (matched === (term.negated ?? false)) {
      return false
    }
  }
  return known ? true : undefined
}

function matchesTerm(term: Term, message: Message, self: number): boolean | undefined {
  switch (term.operator) {
    case 'stream':
      return message.stream_id === term.operand
    case 'topic':
      return message.stream_id !== undefined && topicKey(message.subject) === topicKey(term.operand)
    case 'sender':
      return message.sender_id === term.operand
    case 'pm-with':
      return isWith(message, term.operand, self)
    case 'is':
      return matchesIs(term.operand, message)
    case 'in':
      return term.operand === 'all' ? true : undefined
    default: // words are stemmed, links are found and muting is known there
      return undefined
  }
}

function isWith(message: Message, people: readonly number[], self: number): boolean {
  if (typeof message.display_recipient === 'string') {
    return false
  }
  const these = privatePlace(message.display_recipient.map((p) => p.id), self).people
  return these.join() === privatePlace(people, self).people.join()
}

function matchesIs(operand: string, message: Message): boolean | undefined {
  switch (operand) {
    case 'private':
      return message.stream_id === undefined
    case 'starred':
      return message.flags.includes('starred')
    case 'unread':
      return !message.flags.includes('read')
    case 'mentioned':
      return message.flags.includes('mentioned') || message.flags.includes('wildcard_mentioned')
    case 'alerted':
      return message.flags.includes('has_alert_word')
    default:
      return undefined
  }
}

/** Returns what goes to the server for a narrow of an account: to oneself is to one's own address. */
export function wireOf(narrow: Narrow, self: number): readonly WireTerm[] {
  return narrow.map((t) => ({
    operator: t.operator,
    operand: t.operator === 'pm-with' && t.operand.length === 0 ? [self] : t.operand,
    ...(t.negated ? { negated: true } : {}),
  }))
}
