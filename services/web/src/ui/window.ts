/** The messages of a view that are in the page, by the first and the last of them. */
export interface Range {
  readonly first: number
  readonly last: number
}

/** How many messages are in the page at most: enough for screens full of the shortest. */
export const most = 180
/** How many there are at most when a view is opened, and how many of them are in any case before the one that it is opened at. */
const portion = 15
const above = 4
/** By how many the range moves at a time at most: so many a slow phone makes within a frame. */
export const step = 5

/** Returns the index of the first id that is at least as great. */
export function indexOf(ids: readonly number[], id: number): number {
  let low = 0
  let high = ids.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ids[middle] ?? 0) < id) {
      low = middle + 1
    } else {
      high = middle
    }
  }
  return low
}

/**
 * Returns the range that a view is opened with: the messages from one on, or the last ones for undefined, that fill so many pixels.
 * heightOf returns the least height that a message has, by its id and that of the one before it. The more there are, the later the
 * first of them are seen.
 */
export function around(ids: readonly number[], id: number | undefined, pixels: number, heightOf: (id: number, before: number | undefined) => number): Range {
  const middle = id === undefined ? ids.length : indexOf(ids, id)
  let start = middle
  let end = middle
  let filled = 0
  const add = (i: number) => (filled += heightOf(ids[i] ?? 0, ids[i - 1]))
  while (end < ids.length && filled < pixels && end - start < portion) {
    add(end++)
  }
  while (start > 0 && ((filled < pixels && end - start < portion) || (id !== undefined && middle - start < above))) {
    add(--start)
  }
  return between(ids, start, end)
}

/** Returns the range that has some messages more before it, and so much less after it that it isn't too large. */
export function before(ids: readonly number[], range: Range, more: number): Range {
  const start = Math.max(0, indexOf(ids, range.first) - more)
  return between(ids, start, Math.min(indexOf(ids, range.last) + 1, start + most))
}

/** Returns the range that has some messages more after it, and so much less before it that it isn't too large. */
export function after(ids: readonly number[], range: Range, more: number): Range {
  const end = Math.min(ids.length, indexOf(ids, range.last) + 1 + more)
  return between(ids, Math.max(indexOf(ids, range.first), end - most), end)
}

/** Returns the ids of a range, as they are now. */
export function idsIn(ids: readonly number[], range: Range): readonly number[] {
  return ids.slice(indexOf(ids, range.first), indexOf(ids, range.last + 1))
}

function between(ids: readonly number[], start: number, end: number): Range {
  return { first: ids[Math.max(0, start)] ?? 0, last: ids[Math.min(ids.length, end) - 1] ?? 0 }
}
