import { keyOf, type Place } from '../state/conversation'
import type { Message } from '../state/model'

/** Messages of one sender follow each other without their name again for so long, in seconds. */
const together = 10 * 60

/** Longer than any day, in seconds: the one on which summer time ends has 25 hours. */
const twoDays = 2 * 24 * 60 * 60

/** What is above a message. */
export interface Heading {
  /** A day begins. */
  readonly day: boolean
  /** Another conversation begins. */
  readonly place: boolean
  /** The sender's name and picture are shown. */
  readonly sender: boolean
}

/** Returns what is above a message that follows another; undefined: it is the first. */
export function headingOf(message: Message, before: Message | undefined, placeOf: (message: Message) => Place): Heading {
  if (before === undefined) {
    return { day: true, place: true, sender: true }
  }
  const apart = message.timestamp - before.timestamp
  const day = apart >= twoDays || new Date(message.timestamp * 1000).getDate() !== new Date(before.timestamp * 1000).getDate()
  const place = keyOf(placeOf(message)) !== keyOf(placeOf(before))
  const same = message.sender_id === before.sender_id && apart < together && !message.is_me_message && !before.is_me_message
  return { day, place, sender: day || place || !same }
}

/** The height of a line of a message and of what is above one, in pixels, and how many characters of HTML a line has room for. */
const lineHeight = 22
const placeHeight = 48
const senderHeight = 24
const lineLength = 160

/** Returns about how high a message is with what is above it, in pixels. It is rather higher. */
export function leastHeight(message: Message, heading: Heading): number {
  const lines = Math.max(1, Math.floor(message.content.length / lineLength))
  return lines * lineHeight + (heading.sender ? senderHeight : 0) + (heading.place ? placeHeight : 0)
}
