import '../style/edits.css'
import { useEffect, useState } from 'preact/hooks'
import { call } from '../api/request'
import type { Calls } from '../api/schema'
import { useClient } from '../client'
import { moment, text } from '../text/text'
import { Content } from './content'
import { Dialog } from './dialog'

type Snapshot = Calls['GET /messages/{message_id}/history']['reply']['message_history'][number]

/** How a message was changed, the newest change first. */
export function Edits({ id, close }: { readonly id: number; readonly close: () => void }) {
  const client = useClient()
  const [history, setHistory] = useState<readonly Snapshot[]>()
  const [problem, setProblem] = useState('')
  const { acting } = text
  const message = client.state.message(id)?.value
  useEffect(() => {
    void client
      .attempt(async () => setHistory((await call('GET /messages/{message_id}/history', { message_id: id })).message_history))
      .then(setProblem)
  }, [message?.content, message?.subject, message?.stream_id]) // it may be edited meanwhile
  return (
    <Dialog class="edits" title={acting.edits.title} onClose={close}>
      {history === undefined ? <p role={problem === '' ? 'status' : 'alert'}>{problem === '' ? text.loading : problem}</p> : null}
      <ol class="snapshots" reversed>
        {[...(history ?? [])].reverse().map((one, i, all) => (
          <li key={all.length - i}>
            <Change snapshot={one} first={i === all.length - 1} />
          </li>
        ))}
      </ol>
    </Dialog>
  )
}

function Change({ snapshot, first }: { readonly snapshot: Snapshot; readonly first: boolean }) {
  const { state } = useClient()
  const { edits } = text.acting
  const time = new Date(snapshot.timestamp * 1000)
  const who = state.nameOf(snapshot.user_id)
  return (
    <>
      <p class="hint">
        {first ? edits.sent(who) : edits.changed(who)} <time dateTime={time.toISOString()}>{moment(time)}</time>
      </p>
      {snapshot.prev_stream === undefined ? null : <p>{edits.stream(state.streamName(snapshot.prev_stream))}</p>}
      {snapshot.prev_topic === undefined ? null : <p>{edits.topic(snapshot.prev_topic, snapshot.topic)}</p>}
      {first || snapshot.content_html_diff !== undefined ? <Content html={snapshot.content_html_diff ?? snapshot.rendered_content} /> : null}
    </>
  )
}
