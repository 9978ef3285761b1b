import { call } from '../api/request'
import type { Client } from '../client'
import { streamOfNarrow } from '../state/narrow'
import { text } from '../text/text'
import { ask } from './ask'
import { writeTopic } from './compose'
import type { Item } from './menu'
import { copy } from './quote'
import { markStreamAsRead } from './read'
import { showStream } from './screens'

/** What one can do with a stream. */
export function itemsOfStream(client: Client, id: number): readonly Item[] {
  const { state } = client
  const words = text.acting.stream
  const own = state.subscriptions.peek().get(id)
  const link = () => void copy(client, new URL(client.address({ narrow: [{ operator: 'stream', operand: id }] }), location.origin).href)
  const shared: readonly Item[] = [
    { name: text.newTopic, does: () => writeTopic(client, id) },
    { name: words.copyLink, does: link },
    { name: words.show, does: () => showStream(client, id), apart: true },
  ]
  if (own === undefined) {
    return [...shared, ...(state.me.peek()?.is_guest ? [] : [{ name: words.subscribe, does: () => void subscribe(client, id) }])]
  }
  return [
    ...((state.unreadOfStreams.peek().get(id) ?? 0) > 0 ? [{ name: words.read, does: () => markStreamAsRead(client, id) }] : []),
    { name: own.pin_to_top ? words.unpin : words.pin, does: () => void set(client, id, 'pin_to_top', !own.pin_to_top) },
    { name: own.is_muted ? words.unmute : words.mute, does: () => void set(client, id, 'is_muted', !own.is_muted) },
    ...shared,
    { name: words.unsubscribe, does: () => void unsubscribe(client, id), danger: true, apart: true },
  ]
}

/** Changes what one has set for a stream. */
export function set(client: Client, stream: number, property: string, value: boolean | string): Promise<boolean> {
  return client.act(() => call('POST /users/me/subscriptions/properties', { subscription_data: [{ stream_id: stream, property, value }] }))
}

/** Subscribes to a stream. */
export function subscribe(client: Client, stream: number): Promise<boolean> {
  return subscribeAll(client, [stream])
}

/** Subscribes to streams. */
export function subscribeAll(client: Client, streams: readonly number[]): Promise<boolean> {
  return client.act(() => call('POST /users/me/subscriptions', { subscriptions: streams.map((stream) => ({ name: client.state.streamName(stream) })) }))
}

/** Subscribes people to a stream. Whoever calls it says why that failed. */
export function addPeople({ state }: Client, stream: number, people: readonly number[]): Promise<unknown> {
  return call('POST /users/me/subscriptions', { subscriptions: [{ name: state.streamName(stream) }], principals: people })
}

/** Ends a subscription, after a question where one couldn't come back. */
export async function unsubscribe(client: Client, stream: number): Promise<void> {
  const { title, sentence, yes } = text.acting.unsubscribe
  const name = client.state.streamName(stream)
  if (client.state.streams.peek().get(stream)?.invite_only && !(await ask({ title: title(name), sentence, yes, danger: true }))) {
    return
  }
  const done = await client.act(() => call('DELETE /users/me/subscriptions', { subscriptions: [name] }))
  if (done && streamOfNarrow(client.destination.peek().narrow) === stream) {
    client.go({ narrow: [] })
  }
}
