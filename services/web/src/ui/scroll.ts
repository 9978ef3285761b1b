import type { Position } from '../state/view'
import type { Range } from './window'

/** How many pixels of a list are above and below what is on screen. */
export function extent(list: HTMLElement): { readonly above: number; readonly below: number } {
  return { above: list.scrollTop, below: list.scrollHeight - list.clientHeight - list.scrollTop }
}

/** Scrolls a list so that a message is where it was; undefined: to the end. */
export function hold(list: HTMLElement, position: Position | undefined): void {
  if (position === undefined) {
    list.scrollTop = list.scrollHeight
    return
  }
  const rows = rowsOf(list)
  const row = rows[firstOf(rows, (r) => idOf(r) >= position.id)]
  if (row !== undefined) {
    const moved = offsetOf(list, row) - position.offset
    if (Math.abs(moved) >= 1) {
      list.scrollTop += moved
    }
  }
}

/** Returns the first message that is on screen, and where. */
export function positionOf(list: HTMLElement): Position | undefined {
  const row = firstIn(list)
  return row && { id: idOf(row), offset: offsetOf(list, row) }
}

/** Keeps the heading of the first message on screen there, and no other one. */
export function keepHeading(list: HTMLElement): void {
  let heading: Element | null | undefined = firstIn(list)
  while (heading && !heading.matches('.place')) {
    heading = heading.previousElementSibling
  }
  const before = list.querySelector('[data-stays]')
  if (before !== (heading ?? null)) {
    before?.removeAttribute('data-stays')
    heading?.setAttribute('data-stays', '')
  }
}

/** Returns those messages in a list that are at most so many pixels beyond the screen. */
export function within(list: HTMLElement, pixels: number): Range {
  const rows = rowsOf(list)
  const { top, bottom } = list.getBoundingClientRect()
  const first = rows[firstOf(rows, (row) => row.getBoundingClientRect().bottom > top - pixels)]
  const last = rows[firstOf(rows, (row) => row.getBoundingClientRect().top >= bottom + pixels) - 1]
  return { first: first === undefined ? 0 : idOf(first), last: last === undefined ? 0 : idOf(last) }
}

function firstIn(list: HTMLElement): HTMLElement | undefined {
  const rows = rowsOf(list)
  const { top } = list.getBoundingClientRect()
  return rows[firstOf(rows, (row) => row.getBoundingClientRect().bottom > top)]
}

/** Returns the index of the first row for which is() holds, as it does for all that follow; their number if there is none. */
function firstOf(rows: NodeListOf<HTMLElement>, is: (row: HTMLElement) => boolean): number {
  let low = 0
  let high = rows.length
  while (low < high) {
    const middle = (low + high) >> 1
    const row = rows[middle]
    if (row !== undefined && !is(row)) {
      low = middle + 1
    } else {
      high = middle
    }
  }
  return low
}

/** Returns those of the wanted messages whose end is on screen. */
export function seenIn(list: HTMLElement, wanted: (id: number) => boolean): readonly number[] {
  const seen: number[] = []
  const end = list.getBoundingClientRect().top + list.clientHeight + 1
  for (let row: Element | null | undefined = firstIn(list); row && row.getBoundingClientRect().top < end; row = row.nextElementSibling) {
    if (row instanceof HTMLElement && row.dataset['message'] !== undefined && row.getBoundingClientRect().bottom <= end && wanted(idOf(row))) {
      seen.push(idOf(row))
    }
  }
  return seen
}

function rowsOf(list: HTMLElement): NodeListOf<HTMLElement> {
  return list.querySelectorAll<HTMLElement>('[data-message]')
}

function idOf(row: HTMLElement): number {
  return Number(row.dataset['message'])
}

function offsetOf(list: HTMLElement, row: HTMLElement): number {
  return row.getBoundingClientRect().top - list.getBoundingClientRect().top
}
