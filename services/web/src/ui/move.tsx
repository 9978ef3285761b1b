import { useState } from 'preact/hooks'
import { call, CallError } from '../api/request'
import { useClient, type Client } from '../client'
import { keyOf, type TopicPlace } from '../state/conversation'
import type { Message } from '../state/model'
import { narrowTo, placeOfNarrow } from '../state/narrow'
import { text } from '../text/text'
import { Dialog } from './dialog'
import { useFetched } from './fetched'
import { Check, Form, Input, Radios, Select } from './form/form'
import { useMoved } from './moved'
import { canMoveTo, longestTopic } from './rights'
import '../style/form.css'

type Which = 'change_one' | 'change_later' | 'change_all'

/** The form in which a message goes to another topic, or stream, with those that follow it or with its whole topic. */
export function MoveMessage({ message, close }: { readonly message: Message; readonly close: () => void }) {
  const { state } = useClient()
  const place = state.placeOf(state.message(message.id)?.value ?? message)
  const { move } = text.acting
  if (place.kind !== 'topic') {
    return null
  }
  return (
    <MoveForm title={move.message} action={move.yes} place={place} id={() => Promise.resolve(message.id)} close={close}>
      <Radios
        name="which"
        label={move.what}
        value="change_one"
        options={[
          { value: 'change_one', name: move.one },
          { value: 'change_later', name: move.later },
          { value: 'change_all', name: move.all },
        ]}
      />
    </MoveForm>
  )
}

/** The form in which a topic gets another name, or goes to another stream. It stays with the topic if others move that meanwhile. */
export function MoveTopic({ place: first, close }: { readonly place: TopicPlace; readonly close: () => void }) {
  const client = useClient()
  const { move } = text.acting
  const [place, setPlace] = useState(first)
  useMoved((from, to) => setPlace((now) => (keyOf(now) === keyOf(from) ? to : now)))
  return <MoveForm title={canMoveTo(client, place).length === 0 ? move.rename : move.topic} action={text.save} place={place} id={() => newestOf(client, place)} close={close} />
}

interface Props {
  readonly title: string
  /** What its button says. */
  readonly action: string
  readonly place: TopicPlace
  /** Returns the message that is moved, with which the others go. */
  readonly id: () => Promise<number>
  readonly close: () => void
  readonly children?: preact.ComponentChildren
}

function MoveForm({ title, action, place, id, close, children }: Props) {
  const client = useClient()
  const { state } = client
  const { move } = text.acting
  const streams = canMoveTo(client, place)
  const topics = state.topics.value.get(place.stream)
  useFetched(topics === undefined, () => client.need(() => client.history.topics(place.stream)), place.stream)
  const submit = async (typed: Readonly<Record<string, string>>) => {
    const topic = (typed['topic'] ?? '').trim()
    const stream = Number(typed['stream'] ?? place.stream)
    if (topic === place.topic && stream === place.stream) {
      throw new CallError(move.same, 400, '', 0)
    }
    const which = (typed['which'] ?? 'change_all') as Which
    const to: TopicPlace = { kind: 'topic', stream, topic }
    await change(client, place, await id(), which, to, { old: typed['old'] === 'on', new: typed['new'] === 'on' })
    close()
    if (which !== 'change_all') { // whoever moves all of it goes along
      client.said.value = { words: move.done(client.nameOf(to)) }
    }
  }
  return (
    <Dialog class="form-dialog" title={title} onClose={close}>
      <Form action={action} submit={submit} blame={(error) => (/topic/i.test(error.message) ? 'topic' : /stream/i.test(error.message) ? 'stream' : '')} beside={<Cancel close={close} />}>
        {streams.length === 0 ? null : (
          <Select name="stream" label={text.stream} value={String(place.stream)} options={streams.map((stream) => ({ value: String(stream.stream_id), name: stream.name }))} />
        )}
        <Input name="topic" label={text.topic} value={place.topic} most={longestTopic} required suggestions={(topics ?? []).map((topic) => topic.name)} />
        {children}
        {streams.length === 0 ? null : (
          <fieldset class="field">
            <legend>{move.notices}</legend>
            <Check name="new" label={move.noticeNew} value />
            <Check name="old" label={move.noticeOld} value />
          </fieldset>
        )}
      </Form>
    </Dialog>
  )
}

/** The button of a form that closes it. */
export function Cancel({ close }: { readonly close: () => void }) {
  return (
    <button type="button" onClick={close}>
      {text.cancel}
    </button>
  )
}

/** The newest message of a topic: what is old can't be changed by everybody. */
export async function newestOf(client: Client, place: TopicPlace): Promise<number> {
  const known = client.state.topics.peek().get(place.stream)?.find((topic) => keyOf({ ...place, topic: topic.name }) === keyOf(place))
  if (known !== undefined && client.state.message(known.max_id) !== undefined) {
    return known.max_id
  }
  const reply = await call('GET /messages', { anchor: 'newest', num_before: 1, num_after: 0, narrow: narrowTo(place) })
  const newest = reply.messages.at(-1)
  if (newest === undefined) {
    throw new CallError(text.acting.move.empty, 400, '', 0)
  }
  return newest.id
}

/** Moves a message, and what goes with it. Whoever looks at a topic that goes as a whole goes with it. */
export async function change(client: Client, from: TopicPlace, id: number, which: Which, to: TopicPlace, notices = { old: true, new: true }): Promise<void> {
  const stream = to.stream === from.stream ? {} : { stream_id: to.stream, send_notification_to_old_thread: notices.old, send_notification_to_new_thread: notices.new }
  await call('PATCH /messages/{message_id}', { message_id: id, propagate_mode: which, ...(to.topic === from.topic ? {} : { topic: to.topic }), ...stream })
  const here = placeOfNarrow(client.destination.peek().narrow, client.state.self.peek())
  if (which === 'change_all' && here !== undefined && keyOf(here) === keyOf(from)) {
    client.goAlong(from, to)
  }
}
