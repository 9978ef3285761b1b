import { call } from '../../api/request'
import { useClient } from '../../client'
import { narrowTo } from '../../state/narrow'
import { moment, text } from '../../text/text'

/** The topics that the account muted. */
export function MutedTopics() {
  const client = useClient()
  const { state } = client
  const said = text.account
  const topics = [...state.mutedTopics.value.values()].sort((a, b) => b.since - a.since)
  return (
    <div class="fields">
      <p>{said.mutedHint}</p>
      {topics.length === 0 ? <p class="hint">{said.noMuted}</p> : null}
      <ul class="list">
        {topics.map(({ stream, topic, since }) => (
          <li key={`${stream}/${topic}`}>
            <a class="list-name" dir="auto" href={client.address({ narrow: narrowTo({ kind: 'topic', stream, topic }) })}>
              #{state.streamName(stream)} › {topic}
            </a>
            <span class="list-about">{moment(new Date(since * 1000))}</span>
            <button
              aria-label={said.unmuteTopic(topic)}
              onClick={() => void client.act(() => call('PATCH /users/me/subscriptions/muted_topics', { stream_id: stream, topic, op: 'remove' }))}
            >
              {said.unmute}
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}
