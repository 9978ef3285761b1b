import type { Message, Participant } from './model'

/** A topic of a stream. */
export interface TopicPlace {
  readonly kind: 'topic'
  readonly stream: number
  readonly topic: string
}

/** A private conversation, with everybody but oneself in ascending order; with nobody, it is notes to oneself. */
export interface PrivatePlace {
  readonly kind: 'private'
  readonly people: readonly number[]
}

/** Where a message is. */
export type Place = TopicPlace | PrivatePlace

/** A text that is the same for the same place: topics are the same in all letter cases. */
export type PlaceKey = string

/**
 * Returns a topic's name in the form in which topics are compared, as the server does: each letter becomes one small letter. Of a whole
 * text, JavaScript would make two of İ, and ς of Σ at the end of a word.
 */
export function topicKey(topic: string): string {
  if (!/[İΣ]/.test(topic)) { // nearly all names, which are compared by the thousand
    return topic.toLowerCase()
  }
  return Array.from(topic, (letter) => Array.from(letter.toLowerCase())[0]).join('')
}

/** Returns the key of a place. */
export function keyOf(place: Place): PlaceKey {
  return place.kind === 'topic' ? `${place.stream}/${topicKey(place.topic)}` : `@${place.people.join(',')}`
}

/** Returns where a message is, for an account. */
export function placeOf(message: Pick<Message, 'stream_id' | 'subject' | 'display_recipient'>, self: number): Place {
  if (message.stream_id !== undefined) {
    return { kind: 'topic', stream: message.stream_id, topic: message.subject }
  }
  return privatePlace((message.display_recipient as readonly Participant[]).map((person) => person.id), self)
}

/** Returns the conversation of people, of whom oneself may be one. */
export function privatePlace(people: readonly number[], self: number): PrivatePlace {
  return { kind: 'private', people: [...new Set(people)].filter((id) => id !== self).sort((a, b) => a - b) }
}
