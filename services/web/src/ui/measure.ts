/** What is higher than this is folded, in parts of the window, and in pixels at least. */
const highest = 0.7
const least = 420

const waiting = new Map<HTMLElement, (long: boolean) => void>()

/**
 * Says whether an element is so high that it is to be folded, before it is on screen. All elements that are made at a time are measured
 * together: to measure each when it is made would lay out the page as often. The result ends that.
 */
export function isLong(element: HTMLElement, says: (long: boolean) => void): () => void {
  if (waiting.size === 0) {
    queueMicrotask(measure)
  }
  waiting.set(element, says)
  return () => waiting.delete(element)
}

function measure(): void {
  const most = Math.max(least, innerHeight * highest)
  const measured = [...waiting].map(([element, says]) => ({ says, long: element.scrollHeight > most }))
  waiting.clear()
  for (const { says, long } of measured) {
    says(long)
  }
}
