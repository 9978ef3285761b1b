/** The first and the longest pause before what failed is tried again, in milliseconds. */
export interface Backoff {
  readonly first: number
  readonly longest: number
}

/**
 * Returns how long to wait before another try, in milliseconds: twice as long after each further failure, and at least as long as the
 * server asks for, in seconds.
 */
export function pauseAfter({ first, longest }: Backoff, failures: number, wait: number): number {
  return Math.max(wait * 1000, Math.min(longest, first * 2 ** failures))
}
