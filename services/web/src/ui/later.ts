import { signal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'

/** Whether somebody scrolls so fast that nothing is looked at: what isn't needed to scroll on waits. */
export const rushing = signal(false)

/** Whether somebody has scrolled as fast just now. */
export const flying = signal(false)

/** How many frames what is beside messages waits once a view is opened, so that these are there first, and how many rushing and flying last. */
const opening = 3
const lasting = 9
const landing = 3

/** Scrolling by so many pixels between two frames is rushing. */
const fast = 60

/** How many of those that have waited go on in a frame: what is beside a message takes the browser as long as the rest of its row. */
const portion = 4

let left = 0
let flown = 0 // frames since somebody scrolled fast
let counting = false
const waiting: (() => void)[] = []

/** Has what is beside messages wait until those of a view that is opened are painted. */
export function opened(): void {
  wait(opening)
}

/** Notes that somebody has scrolled by so many pixels since the last frame. */
export function scrolledBy(pixels: number): void {
  if (Math.abs(pixels) >= fast) {
    rushing.value = true
    flying.value = true
    flown = 0
    wait(lasting)
  }
}

/** Reports whether what is beside a message, that is made now, waits. Then it comes once nothing waits any more, the last first, and a few in each frame. */
export function useWaiting(): boolean {
  const [waits, setWaits] = useState(() => left > 0)
  useEffect(() => (waits ? whenQuiet(() => setWaits(false)) : undefined), [])
  return waits
}

/** Does something once nothing waits any more. The result ends the waiting. */
function whenQuiet(what: () => void): () => void {
  waiting.push(what)
  count()
  return () => {
    const i = waiting.indexOf(what)
    if (i >= 0) {
      waiting.splice(i, 1)
    }
  }
}

function wait(frames: number): void {
  left = Math.max(left, frames)
  count()
}

/** Counts frames while anything waits for them. */
function count(): void {
  if (counting) {
    return
  }
  counting = true
  requestAnimationFrame(() => {
    counting = false
    left = Math.max(0, left - 1)
    flown++
    if (flown >= landing) {
      flying.value = false
    }
    if (left === 0) {
      rushing.value = false
      waiting.splice(-portion).forEach((go) => go())
    }
    if (left > 0 || waiting.length > 0) {
      count()
    }
  })
}
