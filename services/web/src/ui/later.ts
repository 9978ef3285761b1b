import { signal } from '@preact/signals'

/** Whether pictures beside messages wait: each takes the browser as long as the rest of its row, even if it has the picture already. */
export const picturesWait = signal(false)

/** How many frames they wait once a view is opened, so that its messages are there first, and once somebody rushes by. */
const opening = 3
const rushing = 9

/** Scrolling by so many pixels between two frames is rushing: pictures are gone before they are looked at. */
const fast = 60

let left = 0

/** Has pictures wait until the messages of a view that is opened are painted. */
export function opened(): void {
  wait(opening)
}

/** Has pictures wait if somebody who scrolled by so many pixels rushes. */
export function scrolledBy(pixels: number): void {
  if (Math.abs(pixels) >= fast) {
    wait(rushing)
  }
}

function wait(frames: number): void {
  left = Math.max(left, frames)
  if (!picturesWait.peek()) {
    picturesWait.value = true
    requestAnimationFrame(count)
  }
}

function count(): void {
  left--
  if (left > 0) {
    requestAnimationFrame(count)
  } else {
    picturesWait.value = false
  }
}
