import { useClient } from '../client'
import type { Place } from '../state/conversation'
import { narrowTo, placeOfNarrow, streamOfNarrow, type Narrow } from '../state/narrow'
import { text } from '../text/text'
import { itemsOfConversation } from './conversation'
import { MenuButton } from './menu'
import { itemsOfStream } from './stream'
import { itemsOfTopic } from './topic'

/** The menu of a topic or a conversation; notes to oneself have none. In the sidebar it is no stop of the Tab key: the heading of what is open has it, too. */
export function PlaceMenu({ place, tabIndex = 0 }: { readonly place: Place; readonly tabIndex?: number }) {
  const client = useClient()
  if (place.kind === 'private' && place.people.length === 0) {
    return null
  }
  const [name, items] = place.kind === 'topic' ? [place.topic, () => itemsOfTopic(client, place)] : [client.nameOf(place), () => itemsOfConversation(client, place)]
  return (
    <MenuButton label={text.acting.menuOf(name)} class="icon opens-menu" tabIndex={tabIndex} items={items} place={place}>
      ⋯
    </MenuButton>
  )
}

/** The menu of a stream. */
export function StreamMenu({ stream, tabIndex = 0 }: { readonly stream: number; readonly tabIndex?: number }) {
  const client = useClient()
  return (
    <MenuButton label={text.acting.menuOf(`#${client.state.streamName(stream)}`)} class="icon opens-menu" tabIndex={tabIndex} items={() => itemsOfStream(client, stream)}>
      ⋯
    </MenuButton>
  )
}

/** The menu of what is on screen, if that is a topic, a conversation or a stream. */
export function NarrowMenu({ narrow }: { readonly narrow: Narrow }) {
  const { state } = useClient()
  const place = placeOfNarrow(narrow, state.self.value)
  const stream = streamOfNarrow(narrow)
  if (place !== undefined) {
    return <PlaceMenu key={JSON.stringify(narrowTo(place))} place={place} />
  }
  return narrow.length === 1 && stream !== undefined ? <StreamMenu key={stream} stream={stream} /> : null
}
