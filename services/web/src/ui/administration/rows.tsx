import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'

/** How high a row is until one was measured, in pixels. */
const guess = 48
/** How many rows are in the page above and below those on screen. */
const beyond = 8

interface Props<T> {
  readonly label: string
  readonly items: readonly T[]
  readonly keyOf: (item: T) => number | string
  /** The headings of the columns. */
  readonly columns: readonly string[]
  /** The cells of a row, each a Cell. */
  readonly children: (item: T) => ComponentChildren
  readonly class?: string
}

/** A table of any length, of which only what is on screen is in the page. Its rows have all the same height. */
export function Rows<T>({ label, items, keyOf, columns, children, class: name = '' }: Props<T>) {
  const body = useRef<HTMLDivElement>(null)
  const [row, setRow] = useState(guess)
  const [range, setRange] = useState({ first: 0, end: 30 })
  useLayoutEffect(() => {
    const { current } = body
    const scroller = current === null ? undefined : scrollerOf(current)
    if (current === null || scroller === undefined) {
      return
    }
    const look = () => {
      const height = current.querySelector('[role=row]')?.getBoundingClientRect().height ?? row
      const first = Math.floor((scroller.getBoundingClientRect().top - current.getBoundingClientRect().top) / height) - beyond
      const end = first + Math.ceil(scroller.clientHeight / height) + 2 * beyond
      setRow(height)
      setRange((before) => (before.first === first && before.end === end ? before : { first, end }))
    }
    look()
    const resized = new ResizeObserver(look)
    resized.observe(scroller)
    scroller.addEventListener('scroll', look, { passive: true })
    return () => {
      resized.disconnect()
      scroller.removeEventListener('scroll', look)
    }
  }, [items.length])
  const end = Math.min(items.length, Math.max(range.end, beyond))
  const first = Math.max(0, Math.min(range.first, end - 1))
  return (
    <div class={`rows ${name}`} role="table" aria-label={label} aria-rowcount={items.length + 1}>
      <div role="rowgroup">
        <div class="row heading" role="row" aria-rowindex={1}>
          {columns.map((column) => (
            <div key={column} role="columnheader">
              {column}
            </div>
          ))}
        </div>
      </div>
      <div ref={body} role="rowgroup" style={{ paddingBlockStart: `${first * row}px`, paddingBlockEnd: `${(items.length - end) * row}px` }}>
        {items.slice(first, end).map((item, i) => (
          <div key={keyOf(item)} class="row" role="row" aria-rowindex={first + i + 2}>
            {children(item)}
          </div>
        ))}
      </div>
    </div>
  )
}

/** A part of a row. */
export function Cell({ children, class: name }: { readonly children?: ComponentChildren; readonly class?: string }) {
  return (
    <div role="cell" class={name}>
      {children}
    </div>
  )
}

/** Returns what an element is scrolled in. */
function scrollerOf(element: HTMLElement): HTMLElement | undefined {
  for (let at = element.parentElement; at !== null; at = at.parentElement) {
    if (/auto|scroll/.test(getComputedStyle(at).overflowY)) {
      return at
    }
  }
  return undefined
}
