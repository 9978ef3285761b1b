import { useRef } from 'preact/hooks'

/** Returns what numbers new parts, from next on: one may be added before the event of another one says that its number is taken. */
export function useNumbers(next: number): () => number {
  const last = useRef(0)
  return () => (last.current = Math.max(last.current + 1, next))
}
