import type { RealmEmojiUpdateEvent } from '../../api/schema'
import type { State } from '../state'

/** The organization's custom emoji changed; the event has all of them. */
export function realmEmoji(state: State, event: RealmEmojiUpdateEvent): void {
  state.emoji.value = new Map(Object.entries(event.realm_emoji))
}
