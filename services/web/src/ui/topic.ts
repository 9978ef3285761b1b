import { call } from '../api/request'
import type { Client } from '../client'
import { keyOf, type TopicPlace } from '../state/conversation'
import { narrowTo, placeOfNarrow } from '../state/narrow'
import { text } from '../text/text'
import { ask } from './ask'
import type { Item } from './menu'
import { copy } from './quote'
import { markPlaceAsRead } from './read'
import { canMove, canMoveTo, longestTopic } from './rights'
import { moveTopic } from './screens'

/** What stands before the name of a topic whose question is answered. */
const resolved = '✔ '

/** What one can do with a topic. */
export function itemsOfTopic(client: Client, place: TopicPlace): readonly Item[] {
  const { state } = client
  const words = text.acting.topic
  const isMuted = state.mutedTopics.peek().has(keyOf(place))
  const done = place.topic.startsWith(resolved)
  const movable = canMove(client, undefined)
  return [
    ...(state.unread.in(place) > 0 ? [{ name: words.read, does: () => markPlaceAsRead(client, place) }] : []),
    { name: isMuted ? words.unmute : words.mute, key: 'M', does: () => void muteTopic(client, place) },
    { name: words.copyLink, does: () => void copy(client, new URL(client.address({ narrow: narrowTo(place) }), location.origin).href) },
    ...(movable
      ? [
          { name: done ? words.unresolve : words.resolve, does: () => void resolve(client, place), apart: true },
          { name: canMoveTo(client, place).length === 0 ? words.rename : words.move, does: () => moveTopic(client, place) },
        ]
      : []),
    ...(state.isAdmin.peek() ? [{ name: words.remove, does: () => void remove(client, place), danger: true, apart: true }] : []),
  ]
}

/** Mutes a topic, or no longer does, and says so: the sidebar may not show it. */
export async function muteTopic(client: Client, place: TopicPlace): Promise<void> {
  const { muted, unmuted } = text.acting.topic
  const isMuted = client.state.mutedTopics.peek().has(keyOf(place))
  if (await client.act(() => call('PATCH /users/me/subscriptions/muted_topics', { stream_id: place.stream, topic: place.topic, op: isMuted ? 'remove' : 'add' }))) {
    client.said.value = { words: (isMuted ? unmuted : muted)(client.nameOf(place)) }
  }
}

/** Marks a topic as resolved by its name, or no longer does. Where there is no room for the mark, it asks whether the name may be shortened. */
async function resolve(client: Client, place: TopicPlace): Promise<void> {
  const whole = place.topic.startsWith(resolved) ? place.topic.replace(/^(✔ )+/, '') : resolved + place.topic
  const name = [...whole].slice(0, longestTopic).join('').trimEnd()
  const { title, sentence, yes } = text.acting.shortenTopic
  if (name !== whole && !(await ask({ title, sentence: sentence(longestTopic, name), yes }))) {
    return
  }
  await client.act(async () => {
    const { change, newestOf } = await import('./move')
    await change(client, place, await newestOf(client, place), 'change_all', { ...place, topic: name })
  })
}

async function remove(client: Client, place: TopicPlace): Promise<void> {
  const { title, sentence, yes } = text.acting.removeTopic
  if (await ask({ title: title(place.topic), sentence, yes, danger: true })) {
    const done = await client.act(() => call('POST /streams/{stream_id}/delete_topic', { stream_id: place.stream, topic_name: place.topic }))
    const here = placeOfNarrow(client.destination.peek().narrow, client.state.self.peek())
    if (done && here !== undefined && keyOf(here) === keyOf(place)) {
      client.go({ narrow: [{ operator: 'stream', operand: place.stream }] })
    }
  }
}
