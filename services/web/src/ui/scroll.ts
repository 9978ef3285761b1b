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
  const row = firstOf(list, (r) => idOf(r) >= position.id)
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

/** Reports whether something in a list is on screen, if only in part. */
export function isSeen(list: HTMLElement, element: Element): boolean {
  const { top, bottom } = element.getBoundingClientRect()
  const screen = list.getBoundingClientRect()
  return bottom > screen.top && top < screen.bottom
}

/** Has a heading stay on screen, and not the one that did before. */
export function keepHeading(heading: Element | undefined, before: Element | undefined): void {
  if (heading !== before) {
    before?.removeAttribute('data-stays')
    heading?.setAttribute('data-stays', '')
  }
}

/** Returns the heading of the first message on screen, if it has one. */
export function headingOn(list: HTMLElement): Element | undefined {
  let heading: Element | null | undefined = firstIn(list)
  while (heading && !heading.matches('.place, .blank')) {
    heading = heading.previousElementSibling
  }
  return heading?.matches('.place') ? heading : undefined
}

/** Returns those messages in a list that are at most so many pixels beyond the screen. */
export function within(list: HTMLElement, pixels: number): Range {
  const { top, bottom } = list.getBoundingClientRect()
  const first = firstOf(list, (row) => row.getBoundingClientRect().bottom > top - pixels)
  const beyond = firstOf(list, (row) => row.getBoundingClientRect().top >= bottom + pixels)
  const last = rowUpTo(beyond === undefined ? list.firstElementChild?.lastElementChild : beyond.previousElementSibling)
  return { first: first === undefined ? 0 : idOf(first), last: last === undefined ? 0 : idOf(last) }
}

function firstIn(list: HTMLElement): HTMLElement | undefined {
  const { top } = list.getBoundingClientRect()
  return firstOf(list, (row) => row.getBoundingClientRect().bottom > top)
}

/**
 * Returns the first message for which is() holds, as it does for all that follow. It looks at what is in the list, headings too, since the
 * browser has that at hand, and would have to go through everything to find the messages alone.
 */
function firstOf(list: HTMLElement, is: (row: HTMLElement) => boolean): HTMLElement | undefined {
  const all = list.firstElementChild?.children
  let low = 0
  let high = all?.length ?? 0
  while (low < high) {
    const middle = (low + high) >> 1
    const row = rowFrom(all?.[middle])
    if (row !== undefined && !is(row)) {
      low = middle + 1
    } else {
      high = middle
    }
  }
  return rowFrom(all?.[low])
}

/** Returns an element if it is a message, or the first message after it. */
function rowFrom(element: Element | null | undefined): HTMLElement | undefined {
  while (element && !isRow(element)) {
    element = element.nextElementSibling
  }
  return element ?? undefined
}

/** Returns an element if it is a message, or the last message before it. */
function rowUpTo(element: Element | null | undefined): HTMLElement | undefined {
  while (element && !isRow(element)) {
    element = element.previousElementSibling
  }
  return element ?? undefined
}

/** Returns those of the wanted messages whose end is on screen. */
export function seenIn(list: HTMLElement, wanted: (id: number) => boolean): readonly number[] {
  const seen: number[] = []
  const end = list.getBoundingClientRect().top + list.clientHeight + 1
  for (let row = firstIn(list); row !== undefined; row = rowFrom(row.nextElementSibling)) {
    if (row.getBoundingClientRect().bottom > end) {
      break
    }
    if (wanted(idOf(row))) {
      seen.push(idOf(row))
    }
  }
  return seen
}

/** Returns so many of the wanted messages that are in a list, those on screen or nearest to it first. */
export function nearest(list: HTMLElement, wanted: (id: number) => boolean, count: number): readonly number[] {
  const { top, bottom } = list.getBoundingClientRect()
  const rows = [...(list.firstElementChild?.children ?? [])].filter(isRow).filter((row) => wanted(idOf(row)))
  const away = rows.map((row) => {
    const box = row.getBoundingClientRect()
    return { id: idOf(row), pixels: Math.max(0, top - box.bottom, box.top - bottom) }
  })
  return away.sort((a, b) => a.pixels - b.pixels).slice(0, count).map(({ id }) => id)
}

function isRow(element: Element): element is HTMLElement {
  return element.hasAttribute('data-message')
}

function idOf(row: HTMLElement): number {
  return Number(row.dataset['message'])
}

function offsetOf(list: HTMLElement, row: HTMLElement): number {
  return row.getBoundingClientRect().top - list.getBoundingClientRect().top
}
