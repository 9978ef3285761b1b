import { en, type Catalogue } from './en'

/** What the client says, in the language of its user. */
export const text: Catalogue = en

/** Joins names as a sentence does. */
export function list(names: readonly string[]): string {
  return new Intl.ListFormat(text.locale).format(names)
}

/** Writes a time of the day. */
export function clock(time: Date): string {
  return new Intl.DateTimeFormat(text.locale, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(time)
}

/** Writes a day and a time. */
export function moment(time: Date): string {
  return new Intl.DateTimeFormat(text.locale, { dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' }).format(time)
}

/** Writes a day as seen from now. */
export function day(time: Date, now: Date): string {
  const days = Math.round((midnight(now) - midnight(time)) / 86_400_000)
  if (days === 0 || days === 1) {
    return days === 0 ? text.today : text.yesterday
  }
  const year = time.getFullYear() === now.getFullYear() ? {} : ({ year: 'numeric' } as const)
  return new Intl.DateTimeFormat(text.locale, { weekday: 'long', day: 'numeric', month: 'long', ...year }).format(time)
}

function midnight(time: Date): number {
  return new Date(time.getFullYear(), time.getMonth(), time.getDate()).getTime()
}
