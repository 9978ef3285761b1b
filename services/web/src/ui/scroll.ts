import type { Position } from '../state/view'

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
  const row = rowsOf(list).find((r) => idOf(r) >= position.id)
  if (row !== undefined) {
    const moved = offsetOf(list, row) - position.offset
    if (Math.abs(moved) >= 1) {
      list.scrollTop += moved
    }
  }
}

/** Returns the first message that is on screen, and where. */
export function positionOf(list: HTMLElement): Position | undefined {
  const rows = rowsOf(list)
  let low = 0
  let high = rows.length
  while (low < high) {
    const middle = (low + high) >> 1
    const row = rows[middle]
    if (row !== undefined && offsetOf(list, row) + row.offsetHeight <= 0) {
      low = middle + 1
    } else {
      high = middle
    }
  }
  const row = rows[low]
  return row && { id: idOf(row), offset: offsetOf(list, row) }
}

/** Returns those of the wanted messages whose end is on screen. */
export function seenIn(list: HTMLElement, wanted: (id: number) => boolean): readonly number[] {
  return rowsOf(list)
    .filter((row) => wanted(idOf(row)))
    .filter((row) => {
      const end = offsetOf(list, row) + row.offsetHeight
      return end > 0 && end <= list.clientHeight + 1
    })
    .map(idOf)
}

function rowsOf(list: HTMLElement): readonly HTMLElement[] {
  return [...list.querySelectorAll<HTMLElement>('[data-message]')]
}

function idOf(row: HTMLElement): number {
  return Number(row.dataset['message'])
}

function offsetOf(list: HTMLElement, row: HTMLElement): number {
  return row.getBoundingClientRect().top - list.getBoundingClientRect().top
}
