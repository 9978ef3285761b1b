import { useClient } from '../client'
import { streamOfNarrow } from '../state/narrow'
import { text } from '../text/text'
import { subscribe } from './stream'

/** Says that one looks at a stream that one isn't subscribed to: no event says what is new there. */
export function NotSubscribed() {
  const client = useClient()
  const { destination, state } = client
  const id = streamOfNarrow(destination.value.narrow)
  const stream = id === undefined || state.subscriptions.value.has(id) ? undefined : state.streams.value.get(id)
  return (
    <div class="strip" role="status">
      {stream === undefined ? null : (
        <p>
          {text.notSubscribed}{' '}
          {stream.invite_only || state.me.value?.is_guest ? null : (
            <button onClick={() => void subscribe(client, stream.stream_id).then((done) => (done ? document.getElementById('messages')?.focus() : undefined))}>{text.acting.stream.subscribe}</button>
          )}
        </p>
      )}
    </div>
  )
}
