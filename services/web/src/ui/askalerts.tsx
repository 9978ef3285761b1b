import { signal } from '@preact/signals'
import { useState } from 'preact/hooks'
import { useClient } from '../client'
import { askPermission, permission } from '../sync/notify'
import { Store } from '../sync/storage'
import { text } from '../text/text'

/** Where the browser keeps that somebody doesn't want to be asked. */
const kept = 'unasked'

/** Whether something came that would have been notified of if the browser allowed it. */
export const missed = signal(false)

/** Asks, once something was missed, whether this browser may show notifications: browsers let nobody ask without a click. */
export function AskAlerts() {
  const store = new Store(useClient().state.self.value)
  const [refused, setRefused] = useState(store.read(kept) === true)
  if (!missed.value || refused || permission.value !== 'default') {
    return null
  }
  const refuse = () => {
    store.write(kept, true)
    setRefused(true)
  }
  return (
    <aside class="ask-alerts" aria-label={text.alerts.title}>
      <p>{text.alerts.question}</p>
      <button onClick={() => void askPermission()}>{text.alerts.yes}</button>
      <button class="plain" onClick={refuse}>
        {text.alerts.no}
      </button>
    </aside>
  )
}
