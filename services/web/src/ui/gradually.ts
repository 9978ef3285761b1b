import { effect } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import { useClient, type Client } from '../client'
import { whenIdle } from './idle'

/** The least height of an entry, in pixels, and how many are added at once. */
const leastHeight = 30
const portion = 16

/** How long lists wait for the first messages, in milliseconds. */
const longest = 400

/** Returns the first entries of a list: as many as a screen has room for, since hundreds take long, and more whenever nothing else is to do. */
export function useGradually<Entry>(entries: readonly Entry[]): readonly Entry[] {
  const [shown, show] = useState(screenful)
  const whole = shown >= entries.length
  useEffect(() => (whole ? undefined : whenIdle(() => show(shown + portion))), [shown, whole])
  return whole ? entries : entries.slice(0, shown)
}

/** Reports whether what is beside the first messages of the page may be shown: these come before it, unless they take long. */
export function useAfterMessages(): boolean {
  const client = useClient()
  const [after, set] = useState(() => client.view.peek() !== undefined || client.destination.peek().recent === true)
  useEffect(() => (after ? undefined : afterMessages(client, () => set(true))), [after])
  return after
}

function screenful(): number {
  return Math.ceil(screen.height / leastHeight)
}

/** Does something once messages are on screen, or don't come soon, unless what it returns is called before. */
function afterMessages(client: Client, what: () => void): () => void {
  const timer = setTimeout(what, longest)
  let idle = () => {}
  const watch = effect(() => {
    if (client.view.value !== undefined) {
      clearTimeout(timer)
      idle = whenIdle(what)
    }
  })
  return () => {
    clearTimeout(timer)
    watch()
    idle()
  }
}
