import { useEffect, useState } from 'preact/hooks'
import { whenIdle } from './idle'

/** The least height of an entry, in pixels, and how many are added at once. */
const leastHeight = 30
const portion = 16

/**
 * Returns the first entries of a list: as many as a screen has room for, since hundreds would keep the first messages waiting, and
 * more whenever nothing else is to do.
 */
export function useGradually<Entry>(entries: readonly Entry[]): readonly Entry[] {
  const [shown, show] = useState(Math.ceil(screen.height / leastHeight))
  const whole = shown >= entries.length
  useEffect(() => (whole ? undefined : whenIdle(() => show(shown + portion))), [shown, whole])
  return whole ? entries : entries.slice(0, shown)
}
