/** When an account doesn't want to be disturbed in a browser. */
export interface Quiet {
  /** Until when notifications are paused, in milliseconds of Unix time. */
  readonly until?: number
  /** From and until what time of each day, as 22:00. */
  readonly nights?: readonly [from: string, until: string]
}

/** Reports whether nobody is to be disturbed at a time. */
export function isQuiet({ until = 0, nights }: Quiet, now: Date): boolean {
  if (now.getTime() < until) {
    return true
  }
  if (nights === undefined) {
    return false
  }
  const [from, end] = nights
  const time = now.toTimeString().slice(0, 5)
  return from <= end ? time >= from && time < end : time >= from || time < end
}
