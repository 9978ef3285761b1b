import { effect } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import { useClient, type Client } from '../client'
import { whenIdle } from './idle'

/** The least height of an entry, in pixels, and how many are added at once. */
const leastHeight = 30
const portion = 16

/** How long lists wait for the first messages, in milliseconds. */
const longest = 400

/**
 * Returns the first entries of a list: as many as a screen has room for, since hundreds take long, and more whenever nothing else is to
 * do. While the first messages of the page are on their way there are none: they come before all that is beside them.
 */
export function useGradually<Entry>(entries: readonly Entry[]): readonly Entry[] {
  const client = useClient()
  const [shown, show] = useState(() => (client.view.peek() === undefined && client.destination.peek().recent !== true ? 0 : screenful()))
  const whole = shown >= entries.length
  useEffect(() => {
    if (whole) {
      return undefined
    }
    return shown === 0 ? afterMessages(client, () => show(screenful())) : whenIdle(() => show(shown + portion))
  }, [shown, whole])
  return whole ? entries : entries.slice(0, shown)
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
