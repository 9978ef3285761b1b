import { useMemo, useState } from 'preact/hooks'
import '../../style/administration.css'
import { useClient } from '../../client'
import { byName } from '../../text/order'
import { text } from '../../text/text'
import { folded } from '../completion'
import { canCreate } from '../rights'
import { newStream } from '../screens'
import { Cell, Rows } from './rows'
import { postersOf, Stream } from './stream'

/** All streams that the user can see: a table in which one is found by name, and opened. */
export function Streams() {
  const client = useClient()
  const { state } = client
  const [typed, setTyped] = useState('')
  const [open, setOpen] = useState<number>()
  const words = text.administration.streams
  const streams = state.streams.value
  const { defaultStreams } = state.organization
  const all = useMemo(() => [...streams.values()].sort(byName), [streams])
  const search = folded(typed.trim())
  const shown = all.filter((stream) => folded(stream.name).includes(search) || folded(stream.description).includes(search))
  return (
    <>
      <div class="filters">
        <label class="grow">
          <span class="hidden">{words.find}</span>
          <input type="search" placeholder={words.find} value={typed} onInput={(event) => setTyped(event.currentTarget.value)} />
        </label>
        {canCreate(client) ? <button onClick={() => newStream(client)}>{text.acting.streams.create}</button> : null}
      </div>
      <p class="soft" role="status">
        {words.count(shown.length)}
      </p>
      <Rows label={words.table} items={shown} keyOf={(stream) => stream.stream_id} columns={[words.name, words.privacy, words.posting]} class="people">
        {(stream) => (
          <>
            <Cell class="who">
              <button class="plain" dir="auto" onClick={() => setOpen(stream.stream_id)}>
                {stream.name}
              </button>
              {defaultStreams.value.has(stream.stream_id) ? <span class="badge">{words.isDefault}</span> : null}
            </Cell>
            <Cell class="soft">{stream.invite_only ? words.private : words.public}</Cell>
            <Cell>{postersOf(stream, stream.stream_post_policy)}</Cell>
          </>
        )}
      </Rows>
      {open === undefined ? null : <Stream id={open} close={() => setOpen(undefined)} />}
    </>
  )
}
