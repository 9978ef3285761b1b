import { signal } from '@preact/signals'

/** Whether somebody scrolls so fast that nothing is looked at: what isn't needed to scroll on waits. */
export const rushing = signal(false)

/** How many frames pictures wait once a view is opened, so that its messages are there first, and how many rushing lasts. */
const opening = 3
const lasting = 9

/** Scrolling by so many pixels between two frames is rushing. */
const fast = 60

/** How many of those that have waited go on in a frame: each picture takes the browser as long as the rest of its row. */
const portion = 4

let left = 0
let counting = false
const waiting: (() => void)[] = []

/** Has pictures wait until the messages of a view that is opened are painted. */
export function opened(): void {
  wait(opening)
}

/** Notes that somebody has scrolled by so many pixels since the last frame. */
export function scrolledBy(pixels: number): void {
  if (Math.abs(pixels) >= fast) {
    rushing.value = true
    wait(lasting)
  }
}

/** Whether pictures beside messages wait. */
export function picturesWait(): boolean {
  return left > 0
}

/** Does something once pictures no longer wait, the last first, and a few in each frame. The result ends the waiting. */
export function whenQuiet(what: () => void): () => void {
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
    if (left === 0) {
      rushing.value = false
      waiting.splice(-portion).forEach((go) => go())
    }
    if (left > 0 || waiting.length > 0) {
      count()
    }
  })
}
