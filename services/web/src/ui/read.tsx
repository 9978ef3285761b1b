import { CheckCheck } from 'lucide'
import { call } from '../api/request'
import { useClient, type Client } from '../client'
import type { Place } from '../state/conversation'
import { isHistory, type Message } from '../state/model'
import { narrowTo, placeOfNarrow, sameNarrow, type Narrow } from '../state/narrow'
import { text } from '../text/text'
import { Icon } from './icon'

/** Marks the messages on screen as unread, from one on that was received. */
export function markUnreadFrom(client: Client, message: Message): void {
  const view = client.view.peek()
  if (isHistory(message)) {
    client.notice.value = text.reading.notReceived
  } else if (view !== undefined) {
    void client.act(() => client.reading.unreadFrom(client.state, view, message.id))
  }
}

/** Marks all messages of a topic or a private conversation as read. */
export function markPlaceAsRead(client: Client, place: Place): void {
  void client.act(() =>
    place.kind === 'topic'
      ? call('POST /mark_topic_as_read', { stream_id: place.stream, topic_name: place.topic })
      : client.reading.read(client.state.unread.idsIn(place)),
  )
}

/** Marks all messages of a stream as read. */
export function markStreamAsRead(client: Client, stream: number): void {
  void client.act(() => call('POST /mark_stream_as_read', { stream_id: stream }))
}

/** Marks everything as read. */
export function markAllAsRead(client: Client): void {
  void client.act(() => call('POST /mark_all_as_read', {}))
}

/**
 * The full address of a message, in its conversation. That of a private message has its number alone: the address of a conversation
 * names the others, so it is another one for each of them.
 */
export function linkTo(client: Client, message: Message): string {
  const place = client.state.placeOf(message)
  const fragment = place.kind === 'private' ? `#message/${message.id}` : client.address({ narrow: narrowTo(place), near: message.id })
  return `${location.origin}/${fragment}`
}

/** How many messages of a narrow are unread that are marked as read together; undefined: there is no way to do so. */
export function unreadIn(client: Client, narrow: Narrow): { readonly count: number; readonly read: () => void } | undefined {
  const { state } = client
  const place = placeOfNarrow(narrow, state.self.value)
  if (place !== undefined) {
    return { count: state.unread.in(place), read: () => markPlaceAsRead(client, place) }
  }
  const [first] = narrow
  const total = (only?: number) => {
    let sum = 0
    for (const { place: p, count } of state.unread.places()) {
      sum += only === undefined || (p.kind === 'topic' && p.stream === only) ? count : 0
    }
    return sum
  }
  if (first === undefined) {
    return { count: total(), read: () => markAllAsRead(client) }
  }
  if (narrow.length === 1 && first.operator === 'stream' && !first.negated) {
    return { count: total(first.operand), read: () => markStreamAsRead(client, first.operand) }
  }
  return undefined
}

/** Marks what is on screen as read: a topic, a stream, a conversation, or everything. */
export function ReadAll() {
  const client = useClient()
  const { narrow } = client.destination.value
  const unread = unreadIn(client, narrow)
  if (unread === undefined || unread.count === 0) {
    return null
  }
  const { read, count } = unread
  const words = text.reading
  const mark = () => {
    client.reading.paused.value = undefined
    read()
  }
  return (
    <button class="icon read-all" aria-label={words.markAllRead(count)} title={words.markAllRead(count)} onClick={mark}>
      <Icon of={CheckCheck} />
    </button>
  )
}

/** Says that nothing is marked as read here for now. */
export function Paused() {
  const client = useClient()
  const { paused } = client.reading
  const here = paused.value !== undefined && sameNarrow(paused.value, client.destination.value.narrow)
  return (
    <div class="strip" role="status">
      {here ? (
        <p>
          {text.reading.paused}{' '}
          <button
            onClick={() => {
              paused.value = undefined
              document.getElementById('messages')?.focus()
            }}
          >
            {text.reading.resume}
          </button>
        </p>
      ) : null}
    </div>
  )
}
