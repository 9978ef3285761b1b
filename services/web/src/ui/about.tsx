import { useMemo } from 'preact/hooks'
import { useClient } from '../client'
import { plainOf } from '../html/plain'
import { streamOfNarrow, type Narrow } from '../state/narrow'
import { showStream } from './screens'

/** What the stream on screen is for, as much as has room in a line. A click shows all of it. */
export function About({ narrow }: { readonly narrow: Narrow }) {
  const client = useClient()
  const id = narrow.length === 1 ? streamOfNarrow(narrow) : undefined
  const html = id === undefined ? '' : (client.state.streams.value.get(id)?.rendered_description ?? '')
  const words = useMemo(() => (html === '' ? '' : plainOf(html)), [html])
  return id === undefined || words === '' ? null : (
    <button class="plain about" dir="auto" aria-haspopup="dialog" onClick={() => showStream(client, id)}>
      {words}
    </button>
  )
}
