import { signal } from '@preact/signals'
import type { VNode } from 'preact'
import { useLayoutEffect } from 'preact/hooks'
import { useClient, type Client } from '../client'
import { text } from '../text/text'
import { HeldKeys } from './heldkeys'
import { onceRendered } from './rendered'

/** Makes a screen that is over the others until it calls close. */
export type Screen = (close: () => void) => VNode

interface Shown {
  readonly number: number
  readonly screen: Screen
}

const shown = signal<readonly Shown[]>([])
let count = 0

/** Has what is being loaded be shown no more. */
let giveUp = () => {}

/**
 * Shows a screen over the others, whose script is loaded when it is first wanted. What is typed meanwhile is typed into it. It isn't shown to
 * whoever presses Escape before it is there, goes elsewhere, or wants another one by then, which may be the same.
 */
export async function show(client: Client, load: () => Promise<Screen>): Promise<void> {
  const visit = client.visits.peek()
  let isWanted = true
  const leave = () => (isWanted = false)
  giveUp()
  const keys = new HeldKeys(leave)
  giveUp = () => {
    leave()
    keys.forget()
  }
  try {
    const screen = await load()
    if (isWanted && client.visits.peek() === visit) {
      shown.value = [...shown.peek(), { number: ++count, screen }]
      onceRendered(() => keys.release())
    } else {
      keys.forget()
    }
  } catch {
    keys.forget()
    client.notice.value = text.notLoaded
  }
}

/** The screens that are over the others; the page has them once. Whoever goes elsewhere leaves them. */
export function Overlays() {
  const { visits } = useClient()
  useLayoutEffect(() => { // and what the next key opens stays
    shown.value = []
  }, [visits.value])
  return (
    <>
      {shown.value.map(({ number, screen }) => (
        <Overlay key={number} number={number} screen={screen} />
      ))}
    </>
  )
}

function Overlay({ number, screen }: Shown) {
  return screen(() => (shown.value = shown.peek().filter((one) => one.number !== number)))
}
