import type { Client } from '../client'
import { keyOf, privatePlace, type Place } from '../state/conversation'
import { narrowTo, type Destination } from '../state/narrow'
import { everywhere, lookedAt, recentOf } from '../state/recent'
import { text } from '../text/text'
import type { Offer } from './completion'
import { titleOf } from './title'

/** Where one can go. */
export interface Goal extends Offer {
  readonly key: string
  readonly label: string
  readonly detail: string
  /** How many unread messages are there. */
  readonly count: number
  readonly to: Destination
}

/** The order of kinds of goals; within a kind, the newest comes first. */
const kinds = { unread: 0, private: 100_000, view: 200_000, subscribed: 300_000, topic: 400_000, person: 500_000, stream: 600_000 }

/** Returns everywhere one can go: what has unread messages, private conversations, views, streams, topics of the newest messages and others that are known, and people. */
export function goalsOf(client: Client): readonly Goal[] {
  const { state } = client
  const goals = new Map<string, Goal>()
  const add = (goal: Goal) => goals.has(goal.key) || goals.set(goal.key, goal)
  const addPlace = (place: Place, order: number, count = 0) => {
    const to = { narrow: narrowTo(place) }
    const label = titleOf(client, to)
    const names = place.kind === 'topic' ? [place.topic, label] : [label, ...place.people.map((id) => state.nameOf(id))]
    const [only] = place.kind === 'private' && place.people.length === 1 ? place.people : []
    const user = only === undefined ? undefined : state.users.peek().get(only)
    add({ key: keyOf(place), names: user === undefined ? names : [...names, user.email], order, label, detail: user?.email ?? '', count, to })
  }
  ;[...state.unread.places()].sort((a, b) => b.newest - a.newest).forEach(({ place, count }, i) => addPlace(place, kinds.unread + i, count))
  state.conversations.peek().forEach(({ people }, i) => addPlace({ kind: 'private', people }, kinds.private + i))
  views.forEach((to, i) => add({ key: `view-${i}`, names: [titleOf(client, to)], order: kinds.view + i, label: titleOf(client, to), detail: '', count: 0, to }))
  for (const { stream_id: id, name, description } of state.streams.peek().values()) {
    const order = state.subscriptions.peek().has(id) ? kinds.subscribed : kinds.stream
    add({ key: `stream-${id}`, names: [name], order, label: `#${name}`, detail: description, count: 0, to: { narrow: [{ operator: 'stream', operand: id }] } })
  }
  const newest = (state.view(everywhere).ids.peek() ?? []).flatMap((id) => state.message(id)?.peek() ?? [])
  recentOf(newest, [], state.self.peek()).forEach(({ place }, i) => addPlace(place, kinds.topic + i))
  for (const [stream, topics] of state.topics.peek()) {
    topics.forEach(({ name }, i) => addPlace({ kind: 'topic', stream, topic: name }, kinds.topic + lookedAt + i))
  }
  for (const { user_id: id } of state.users.peek().values()) {
    if (!state.inactive.peek().has(id)) {
      addPlace(privatePlace([id], state.self.peek()), kinds.person)
    }
  }
  return [...goals.values()]
}

const views: readonly Destination[] = [
  { narrow: [], recent: true },
  { narrow: [] },
  { narrow: [{ operator: 'is', operand: 'mentioned' }] },
  { narrow: [{ operator: 'is', operand: 'starred' }] },
  { narrow: [{ operator: 'is', operand: 'private' }] },
]

/** A search for what was typed, for those who find nothing else. */
export function searchFor(typed: string): Goal {
  const label = text.searchResults(typed)
  return { key: 'search', names: [label], order: 0, label, detail: '', count: 0, to: { narrow: [{ operator: 'search', operand: typed }] } }
}
