import { Lock } from 'lucide'
import '../../style/form.css'
import '../../style/lists.css'
import { useRef, useState } from 'preact/hooks'
import { useClient } from '../../client'
import { byName } from '../../text/order'
import { text } from '../../text/text'
import { folded } from '../completion'
import { Dialog } from '../dialog'
import { Icon } from '../icon'
import { canCreate } from '../rights'
import { newStream, showStream } from '../screens'
import { subscribe, unsubscribe } from '../stream'
import { lackedOf, SetOfStreams } from './set'

/** How many streams are listed at most. */
const mostShown = 100

/** Which streams are listed. */
const choices = ['all', 'subscribed', 'others'] as const
type Which = (typeof choices)[number]

/** All streams, and sets of them, of which one finds some by their names and descriptions. */
export function Streams({ close }: { readonly close: () => void }) {
  const client = useClient()
  const { state } = client
  const [typed, setTyped] = useState('')
  const [which, setWhich] = useState<Which>('all')
  const box = useRef<HTMLDivElement>(null)
  const words = text.acting.streams
  const wanted = folded(typed.trim())
  const matching = [...state.streams.value.values()]
    .filter((stream) => which === 'all' || state.subscriptions.value.has(stream.stream_id) === (which === 'subscribed'))
    .filter((stream) => folded(stream.name).includes(wanted) || folded(stream.description).includes(wanted))
    .sort((a, b) => Number(folded(b.name).includes(wanted)) - Number(folded(a.name).includes(wanted)) || byName(a, b))
  const may = state.me.value?.is_guest === false
  const sets = state.organization.streamGroups.value.filter((set) => which !== 'subscribed' && folded(`${set.name}\n${set.description}`).includes(wanted) && lackedOf(client, set).length > 0)
  const arrow = (event: KeyboardEvent) => {
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    const stops = [...(box.current?.querySelectorAll<HTMLElement>('input, .stream-name') ?? [])]
    const to = stops[stops.indexOf(document.activeElement as HTMLElement) + by]
    if (by !== 0 && to !== undefined) {
      event.preventDefault()
      to.focus()
    }
  }
  return (
    <Dialog class="lists" title={words.title} onClose={close}>
      <div ref={box} onKeyDown={arrow}>
        <p class="find">
          <input type="search" dir="auto" autofocus aria-label={words.find} placeholder={words.find} value={typed} maxlength={60} onInput={(event) => setTyped(event.currentTarget.value)} />
          <select aria-label={words.which.label} value={which} onChange={(event) => setWhich(choices[event.currentTarget.selectedIndex] ?? 'all')}>
            {choices.map((one) => (
              <option key={one} value={one}>
                {words.which[one]}
              </option>
            ))}
          </select>
          {canCreate(client) ? (
            <button type="button" onClick={() => newStream(client)}>
              {words.create}
            </button>
          ) : null}
        </p>
        <ul class="listed">
          {may ? sets.map((set) => <SetOfStreams key={`set-${set.id}`} set={set} />) : null}
          {matching.slice(0, mostShown).map((stream) => {
            const subscribed = state.subscriptions.value.has(stream.stream_id)
            return (
              <li key={stream.stream_id} class="stream-row">
                <span class="sign" aria-hidden="true">
                  {stream.invite_only ? <Icon of={Lock} /> : '#'}
                </span>
                <div>
                  <button type="button" class="plain stream-name" onClick={() => showStream(client, stream.stream_id)}>
                    <bdi>{stream.name}</bdi>
                    {stream.invite_only ? <span class="hidden">, {text.privateStream}</span> : null}
                  </button>
                  <p class="listed-text" dir="auto">
                    {stream.description}
                  </p>
                </div>
                {may || subscribed ? (
                  <button
                    type="button"
                    class={subscribed ? 'plain' : undefined}
                    aria-label={subscribed ? words.unsubscribeFrom(stream.name) : words.subscribeTo(stream.name)}
                    onClick={() => void (subscribed ? unsubscribe : subscribe)(client, stream.stream_id)}
                  >
                    {subscribed ? text.acting.stream.unsubscribe : text.acting.stream.subscribe}
                  </button>
                ) : null}
              </li>
            )
          })}
        </ul>
        <p class="hint" role="status">
          {matching.length === 0 && sets.length === 0 ? words.none : matching.length > mostShown ? words.more(matching.length - mostShown) : ''}
        </p>
      </div>
    </Dialog>
  )
}
