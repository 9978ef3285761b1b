import { Layers } from 'lucide'
import { useClient } from '../../client'
import type { StreamGroup } from '../../state/organization'
import { text } from '../../text/text'
import { Icon } from '../icon'
import { subscribeAll } from '../stream'

/** A set of streams, among those of all: one can subscribe to what one lacks of it. */
export function SetOfStreams({ set }: { readonly set: StreamGroup }) {
  const client = useClient()
  return (
    <li class="stream-row">
      <span class="sign" aria-hidden="true">
        <Icon of={Layers} />
      </span>
      <div dir="auto">
        <strong>{set.name}</strong>
        <p class="listed-text">{set.description}</p>
        <p class="listed-text">{set.streams.map((stream) => '#' + stream.name).join(' ')}</p>
      </div>
      <button type="button" aria-label={text.acting.streams.subscribeTo(set.name)} onClick={() => void subscribeAll(client, lackedOf(client, set))}>
        {text.acting.stream.subscribe}
      </button>
    </li>
  )
}

/** Returns the streams of a set that the account isn't subscribed to. */
export function lackedOf({ state }: ReturnType<typeof useClient>, { streams }: StreamGroup): readonly number[] {
  return streams.map((stream) => stream.stream_id).filter((id) => state.streams.value.has(id) && !state.subscriptions.value.has(id))
}
