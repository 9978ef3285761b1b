import type { Client } from '../client'
import type { PrivatePlace } from '../state/conversation'
import { isolated, text } from '../text/text'
import type { Item } from './menu'
import { markPlaceAsRead } from './read'
import { showPeople } from './screens'

/** What one can do with a private conversation: its people are all here, even where its name has no room for them. */
export function itemsOfConversation(client: Client, place: PrivatePlace): readonly Item[] {
  const { state } = client
  return [
    ...(state.unread.in(place) > 0 ? [{ name: text.acting.topic.read, does: () => markPlaceAsRead(client, place) }] : []),
    ...place.people.map((person) => ({ name: text.profiles.profileOf(isolated(state.nameOf(person))), does: () => showPeople(client, { person }) })),
  ]
}
