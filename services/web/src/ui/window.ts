/** The messages of a view that are in the page, by the first and the last of them. */
export interface Range {
  readonly first: number
  readonly last: number
}

/** How many messages are in the page at most: enough for screens full of the shortest. */
export const most = 180
/** How many there are at first on each side of where a view is opened, which fill a screen or nearly. */
const portion = 15
/** By how many the range moves at a time: so few that a slow phone makes them within a frame. */
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

/** Returns the range around a message; undefined: at the end. */
export function around(ids: readonly number[], id: number | undefined): Range {
  const middle = id === undefined ? ids.length : indexOf(ids, id)
  return between(ids, middle - portion, middle + portion)
}

/** Returns the range that has a step more before it, and so much less after it that it isn't too large. */
export function before(ids: readonly number[], range: Range): Range {
  const start = Math.max(0, indexOf(ids, range.first) - step)
  return between(ids, start, Math.min(indexOf(ids, range.last) + 1, start + most))
}

/** Returns the range that has a step more after it, and so much less before it that it isn't too large. */
export function after(ids: readonly number[], range: Range): Range {
  const end = Math.min(ids.length, indexOf(ids, range.last) + 1 + step)
  return between(ids, Math.max(indexOf(ids, range.first), end - most), end)
}

/** Returns the ids of a range, as they are now. */
export function idsIn(ids: readonly number[], range: Range): readonly number[] {
  return ids.slice(indexOf(ids, range.first), indexOf(ids, range.last + 1))
}

function between(ids: readonly number[], start: number, end: number): Range {
  return { first: ids[Math.max(0, start)] ?? 0, last: ids[Math.min(ids.length, end) - 1] ?? 0 }
}
