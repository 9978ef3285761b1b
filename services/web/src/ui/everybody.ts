import type { Client } from '../client'
import type { Place } from '../state/conversation'
import { text } from '../text/text'
import { ask } from './ask'

/** How many people a message may notify unasked. */
const few = 15

/** Asks whether a message to a place is meant to notify everybody who gets it, if these are many. Where it isn't known how many they are, it is taken as meant. */
export async function isMeant(client: Client, place: Place): Promise<boolean> {
  const count = await countIn(client, place)
  const { title, sentence, yes } = text.acting.everybody
  return count <= few || ask({ title: title(count), sentence, yes })
}

/** How many others get what is sent to a place. */
async function countIn(client: Client, place: Place): Promise<number> {
  const { state } = client
  if (place.kind === 'private') {
    return place.people.length
  }
  if (!state.members.peek().has(place.stream)) {
    await client.attempt(() => client.history.members(place.stream))
  }
  const others = [...(state.members.peek().get(place.stream) ?? [])].filter((one) => one !== state.self.peek() && !state.inactive.peek().has(one))
  return others.filter((one) => state.users.peek().get(one)?.is_bot !== true).length
}
