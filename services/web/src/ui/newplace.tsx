import { useClient } from '../client'
import type { Unplaced } from '../sync/drafts'
import { byName } from '../text/order'
import { text } from '../text/text'
import { atMost } from './form/atmost'
import { OneOf } from './form/found'
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
  const topics = draft.stream === undefined ? [] : (state.topics.value.get(draft.stream) ?? [])
  const choose = (stream: number) => {
    change({ stream })
    if (!state.topics.peek().has(stream)) {
      void client.need(() => client.history.topics(stream))
    }
  }
  return (
    <>
      <div class="new-stream">
        <label for="new-place">{text.stream}</label>
        <OneOf id="new-place" placeholder={text.chooseStream} options={streams.map(({ stream_id: value, name }) => ({ value, name }))} value={draft.stream} choose={choose} />
      </div>
      <label class="grow">
        {text.topic}{' '}
        <input id="new-topic" list="topics" dir="auto" maxlength={atMost(longestTopic, draft.topic)} value={draft.topic} onInput={(event) => change({ topic: event.currentTarget.value })} />
      </label>
      <datalist id="topics">
        {topics.map((topic) => (
          <option key={topic.name} value={topic.name} />
        ))}
      </datalist>
    </>
  )
}
