import { useClient } from '../client'
import { placeOfNarrow, streamOfNarrow } from '../state/narrow'
import type { View } from '../state/view'
import { text } from '../text/text'
import { Count } from './count'
import { unreadIn } from './read'

/** The button that leads to the newest messages, with how many are unread where one place or stream is on screen. */
export function ToEnd({ view }: { readonly view: View }) {
  const client = useClient()
  const { narrow } = view
  const isOne = streamOfNarrow(narrow) !== undefined || placeOfNarrow(narrow, client.state.self.value) !== undefined
  return (
    <button class="to-end" onClick={() => void client.history.end(view)}>
      {text.toEnd} ↓ <Count count={isOne ? (unreadIn(client, narrow)?.count ?? 0) : 0} loud />
    </button>
  )
}
