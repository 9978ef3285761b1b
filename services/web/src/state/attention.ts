import type { Message } from './model'
import type { State } from './state'

/** What a message that arrives does to get attention, if nobody looks at the page. */
export interface Attention {
  readonly shown: boolean
  readonly sounded: boolean
}

const none: Attention = { shown: false, sounded: false }

/** Returns what the account's settings, and those of the stream, say of a message (events.md, section 4.7). */
export function attentionTo(state: State, message: Message): Attention {
  const { flags } = message
  if (message.sender_id === state.self.value || flags.includes('read')) {
    return none
  }
  const settings = state.settings.value
  const is = (setting: string) => settings[setting] === true
  const own = { shown: is('enable_desktop_notifications'), sounded: is('enable_sounds') }
  const place = state.placeOf(message)
  if (place.kind === 'private' || flags.includes('mentioned') || flags.includes('has_alert_word')) {
    return own
  }
  const stream = state.subscriptions.value.get(place.stream)
  if (stream === undefined || state.isMuted(place)) {
    return none
  }
  if (flags.includes('wildcard_mentioned') && (stream.wildcard_mentions_notify ?? is('wildcard_mentions_notify'))) {
    return own
  }
  return {
    shown: stream.desktop_notifications ?? is('enable_stream_desktop_notifications'),
    sounded: stream.audible_notifications ?? is('enable_stream_audible_notifications'),
  }
}

/** How many unread messages the page's title and icon count: all but muted ones, those that are for the account alone, or none. */
export function unreadCount(state: State): number {
  const counted = Number(state.settings.value['desktop_icon_count_display'] ?? 1)
  if (counted === 3) {
    return 0
  }
  const forMe = counted === 2
  let count = forMe ? [...state.mentions.value].filter((id) => state.unread.placeOf(id)?.kind !== 'private').length : 0
  for (const unread of state.unread.places()) {
    const counts = forMe ? unread.place.kind === 'private' : !state.isMuted(unread.place)
    count += counts ? unread.count : 0
  }
  return count
}
