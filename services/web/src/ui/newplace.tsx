import { useClient } from '../client'
import type { Unplaced } from '../sync/drafts'
import { byName } from '../text/order'
import { text } from '../text/text'
import { useFetched } from './fetched'
import { atMost } from './form/atmost'
import { OneOf } from './form/found'
import { offered } from './form/listed'
import { PeopleField } from './people'
import { longestTopic } from './rights'

interface Props {
  readonly kind: 'topic' | 'private'
  readonly draft: Unplaced
  readonly change: (changed: Partial<Unplaced>) => void
}

/** The fields in which a place is chosen. */
export function NewPlace(props: Props) {
  return <div class="new-place">{props.kind === 'topic' ? <TopicFields {...props} /> : <PeopleField id="new-place" label={text.to} chosen={props.draft.people} change={(people) => props.change({ people })} />}</div>
}

function TopicFields({ draft, change }: Props) {
  const client = useClient()
  const { state } = client
  const streams = [...state.subscriptions.value.values()].sort(byName)
  const { stream = 0, topic } = draft
  const topics = state.topics.value.get(stream)
  useFetched(stream !== 0 && topics === undefined, () => client.need(() => client.history.topics(stream)), stream)
  return (
    <>
      <div class="new-stream">
        <label for="new-place">{text.stream}</label>
        <OneOf id="new-place" placeholder={text.chooseStream} options={streams.map(({ stream_id: value, name }) => ({ value, name }))} value={draft.stream} choose={(chosen) => change({ stream: chosen })} />
      </div>
      <label class="grow">
        {text.topic}{' '}
        <input id="new-topic" list="topics" dir="auto" maxlength={atMost(longestTopic, topic)} value={topic} onInput={(event) => change({ topic: event.currentTarget.value })} />
      </label>
      <datalist id="topics">
        {offered(topics ?? [], (one) => one.name, topic).map(({ name }) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  )
}
