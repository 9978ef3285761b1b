import { useState } from 'preact/hooks'
import { useClient } from '../client'
import type { Unplaced } from '../sync/drafts'
import { text } from '../text/text'

/** The longest topic, in characters (rest-api.md, section 9). */
const longestTopic = 60
/** How many people are offered. */
const offered = 20

/** Reports whether a message could be sent to a draft's place. */
export function isComplete(kind: 'topic' | 'private', draft: Unplaced): boolean {
  return kind === 'private' ? draft.people.length > 0 : draft.stream !== undefined && draft.topic.trim() !== ''
}

interface Props {
  readonly kind: 'topic' | 'private'
  readonly draft: Unplaced
  readonly change: (changed: Partial<Unplaced>) => void
}

/** The fields in which a place is chosen. */
export function NewPlace(props: Props) {
  return <div class="new-place">{props.kind === 'topic' ? <TopicFields {...props} /> : <PeopleFields {...props} />}</div>
}

function TopicFields({ draft, change }: Props) {
  const client = useClient()
  const { state } = client
  const streams = [...state.subscriptions.value.values()].sort((a, b) => a.name.localeCompare(b.name))
  const topics = draft.stream === undefined ? [] : (state.topics.value.get(draft.stream) ?? [])
  const choose = (stream: number) => {
    change({ stream })
    if (!state.topics.peek().has(stream)) {
      void client.act(() => client.history.topics(stream))
    }
  }
  return (
    <>
      <label>
        {text.stream}{' '}
        <select id="new-place" value={draft.stream ?? ''} onChange={(event) => choose(Number(event.currentTarget.value))}>
          <option value="" disabled>
            {text.chooseStream}
          </option>
          {streams.map((stream) => (
            <option key={stream.stream_id} value={stream.stream_id}>
              {stream.name}
            </option>
          ))}
        </select>
      </label>
      <label class="grow">
        {text.topic}{' '}
        <input list="topics" dir="auto" maxlength={longestTopic} value={draft.topic} onInput={(event) => change({ topic: event.currentTarget.value })} />
      </label>
      <datalist id="topics">
        {topics.map((topic) => (
          <option key={topic.name} value={topic.name} />
        ))}
      </datalist>
    </>
  )
}

function PeopleFields({ draft, change }: Props) {
  const { state } = useClient()
  const [typed, setTyped] = useState('')
  const left = [...state.users.value.values()].filter((user) => !state.inactive.value.has(user.user_id) && !draft.people.includes(user.user_id))
  const wanted = typed.trim().toLowerCase()
  const matching = wanted === '' ? [] : left.filter((user) => user.full_name.toLowerCase().includes(wanted)).slice(0, offered)
  const add = (value: string) => {
    const found = left.find((user) => user.full_name === value)
    setTyped(found === undefined ? value : '')
    if (found !== undefined) {
      change({ people: [...draft.people, found.user_id] })
    }
  }
  return (
    <>
      <ul class="chips" aria-label={text.people}>
        {draft.people.map((id) => (
          <li key={id} class="chip">
            {state.nameOf(id)}{' '}
            <button type="button" class="icon" aria-label={text.removePerson(state.nameOf(id))} onClick={() => change({ people: draft.people.filter((p) => p !== id) })}>
              ✕
            </button>
          </li>
        ))}
      </ul>
      <label class="grow">
        {text.to}{' '}
        <input
          id="new-place"
          list="people"
          dir="auto"
          placeholder={text.addPerson}
          value={typed}
          onInput={(event) => add(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && matching[0] !== undefined) {
              event.preventDefault()
              add(matching[0].full_name)
            }
          }}
        />
      </label>
      <datalist id="people">
        {matching.map((user) => (
          <option key={user.user_id} value={user.full_name} />
        ))}
      </datalist>
    </>
  )
}
