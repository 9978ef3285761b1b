import type { RefObject } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'

/** How many times as large as the window a picture is at most, and by how much a step makes it larger. */
const largest = 8
const stepped = 1.5

/** How many pixels of a wheel make a picture twice as large. */
const doubling = 300

interface Point {
  readonly x: number
  readonly y: number
}

/** How large a picture is shown, in a box that scrolls. */
export interface Zoom {
  /** How many times as large as it is where all of it is seen. */
  readonly times: number
  readonly size: { readonly width: string; readonly height: string } | undefined
  readonly isLargest: boolean
  /** Makes it larger by some steps, or smaller where these are negative. */
  step(by: number): void
  /** Shows all of it. */
  reset(): void
  /** Reports whether the picture was drawn along since the pointer came down: then that is no click. */
  wasDrawn(): boolean
  readonly wheel: (event: WheelEvent) => void
  readonly press: (event: PointerEvent) => void
  readonly draw: (event: PointerEvent) => void
}

/** Has a picture be made larger by steps and by the wheel, and drawn along by a mouse; another picture begins where all of it is seen. */
export function useZoom(box: RefObject<HTMLElement | null>, picture: string): Zoom {
  const [times, setTimes] = useState(1)
  const whole = useRef({ width: 0, height: 0 })
  const held = useRef<{ readonly at: Point; readonly part: Point } | undefined>(undefined) // what stays where it is
  const drawn = useRef(0)
  const image = () => box.current?.querySelector('img') ?? undefined
  useLayoutEffect(() => setTimes(1), [picture]) // before a key makes it larger

  const zoom = (to: number, at?: Point) => {
    const made = image()
    const around = box.current?.getBoundingClientRect()
    if (made === undefined || around === undefined) {
      return
    }
    const { left, top, width, height } = made.getBoundingClientRect()
    if (times === 1) {
      whole.current = { width, height }
    }
    const point = at ?? { x: around.left + around.width / 2, y: around.top + around.height / 2 }
    held.current = { at: point, part: { x: (point.x - left) / width, y: (point.y - top) / height } }
    setTimes(Math.min(largest, Math.max(1, to)))
  }
  useLayoutEffect(() => {
    const made = image()?.getBoundingClientRect()
    if (held.current !== undefined && made !== undefined) {
      const { at, part } = held.current
      box.current?.scrollBy(made.left + part.x * made.width - at.x, made.top + part.y * made.height - at.y)
    }
    held.current = undefined
  }, [times])
  return {
    times,
    size: times === 1 ? undefined : { width: `${whole.current.width * times}px`, height: `${whole.current.height * times}px` },
    isLargest: times >= largest,
    step: (by) => zoom(times * stepped ** by),
    reset: () => setTimes(1),
    wasDrawn: () => drawn.current > 4,
    wheel: (event) => {
      event.preventDefault() // the browser would make the whole page larger where two fingers are spread, which is a wheel with Ctrl
      zoom(times * 2 ** (-event.deltaY / doubling * (event.ctrlKey ? 4 : 1)), { x: event.clientX, y: event.clientY })
    },
    press: (event) => {
      drawn.current = 0
      if (times > 1 && event.pointerType === 'mouse') {
        event.preventDefault() // the browser would drag the picture away
      }
    },
    draw: (event) => {
      if (times > 1 && event.pointerType === 'mouse' && event.buttons === 1) {
        drawn.current += Math.abs(event.movementX) + Math.abs(event.movementY)
        box.current?.scrollBy(-event.movementX, -event.movementY)
      }
    },
  }
}
