import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { useClient } from '../client'
import type { Message } from '../state/model'
import { text } from '../text/text'
import { beginningOf, isLookedAt } from './alerts'

/** How many lines are there at most, since several may come at once. */
const most = 5

/** For how long what comes after a message is collected, in milliseconds, and how many of those are said: of more, how many they are. */
const pause = 3_000
const few = 3

interface Line {
  readonly key: number
  readonly words: string
}

/** Says what others add to the end of the messages on screen, to those who hear the page. It isn't seen. */
export function Arrivals() {
  const client = useClient()
  const lines = useSignal<readonly Line[]>([])
  useEffect(() => {
    let collected: readonly Message[] = []
    let timer: ReturnType<typeof setTimeout> | undefined
    const lineOf = (message: Message) => ({ key: message.id, words: `${client.state.nameOf(message.sender_id)}: ${beginningOf(message)}` })
    const say = () => {
      const [first] = collected
      timer = first === undefined ? undefined : setTimeout(say, pause)
      if (first !== undefined) {
        const said = collected.length > few ? [{ key: first.id, words: text.arrived(collected.length) }] : collected.map(lineOf)
        lines.value = [...lines.peek(), ...said].slice(-most)
        collected = []
      }
    }
    const hear = (message: Message) => {
      const isShown = client.page.peek() === undefined && client.view.peek()?.ids.peek()?.at(-1) === message.id
      if (isShown && message.sender_id !== client.state.self.peek() && isLookedAt()) { // else there are notifications
        collected = [...collected, message]
        if (timer === undefined) {
          say()
        }
      }
    }
    client.arrived.add(hear)
    return () => {
      client.arrived.delete(hear)
      clearTimeout(timer)
    }
  }, [client])
  return (
    <div class="hidden" role="log">
      {lines.value.map(({ key, words }) => (
        <p key={key}>{words}</p>
      ))}
    </div>
  )
}
