import { useEffect, useState } from 'preact/hooks'
import { useClient } from '../client'
import { keyOf, type Place } from '../state/conversation'
import { text } from '../text/text'
import { Reach } from './reach'

/** Who is typing in a private conversation, or else what one wants to know before one writes there. */
export function TypingNow({ place }: { readonly place: Place }) {
  const { state } = useClient()
  const [now, setNow] = useState(Date.now())
  const there = [...(state.typing.value.get(keyOf(place)) ?? [])].filter(([, until]) => until > now)
  useEffect(() => {
    setNow(Date.now())
  }, [state.typing.value])
  useEffect(() => {
    const next = Math.min(...there.map(([, until]) => until))
    if (!Number.isFinite(next)) {
      return undefined
    }
    const timer = setTimeout(() => setNow(Date.now()), Math.max(0, next - Date.now()) + 50)
    return () => clearTimeout(timer)
  }, [there.length, now])
  return (
    <div class="typing">
      <p role="status">{there.length === 0 ? '' : text.typing(there.map(([id]) => state.nameOf(id)))}</p>
      {there.length === 0 ? <Reach place={place} /> : null}
    </div>
  )
}
