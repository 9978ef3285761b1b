import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { useClient } from '../client'
import type { Message } from '../state/model'
import { beginningOf, isLookedAt } from './alerts'

/** How many messages are there at most, since several may come at once. */
const most = 5

/** Says what others add to the end of the messages on screen, to those who hear the page. It isn't seen. */
export function Arrivals() {
  const client = useClient()
  const arrived = useSignal<readonly Message[]>([])
  useEffect(() => {
    const hear = (message: Message) => {
      const isShown = client.page.peek() === undefined && client.view.peek()?.ids.peek()?.at(-1) === message.id
      if (isShown && message.sender_id !== client.state.self.peek() && isLookedAt()) { // else there are notifications
        arrived.value = [...arrived.peek(), message].slice(-most)
      }
    }
    client.arrived.add(hear)
    return () => client.arrived.delete(hear)
  }, [client])
  return (
    <div class="hidden" role="log">
      {arrived.value.map((message) => (
        <p key={message.id}>
          {client.state.nameOf(message.sender_id)}: {beginningOf(message)}
        </p>
      ))}
    </div>
  )
}
