import { computed, signal } from '@preact/signals'
import type { Catalogue } from './en'
import { languages } from './languages'

const spoken = signal<Catalogue | undefined>(undefined)
let wanted = ''

/** Whether a language is loaded: until then, text can't be read. */
export const ready = computed(() => spoken.value !== undefined)

/** What the client says, in the language of its user. Components that read it are drawn again when the language changes. */
export const text = new Proxy({} as Catalogue, { get: (_, name) => Reflect.get(catalogue(), name) })

function catalogue(): Catalogue {
  if (spoken.value === undefined) {
    throw new Error('no language is loaded yet')
  }
  return spoken.value
}

/** What the client says at this moment, for what isn't drawn again when the language changes; undefined: no language is loaded yet. */
export function textNow(): Catalogue | undefined {
  return spoken.peek()
}

/** Switches to a language once it is loaded, unless another one is wanted by then. If it can't be loaded, the language stays. */
export async function speak(code: string): Promise<void> {
  wanted = code
  const loaded = await languages[code]?.load()
  if (loaded !== undefined && wanted === code) {
    spoken.value = loaded.catalogue
  }
}

/** Whether times are shown on a 12-hour clock. */
export const twelveHours = signal(false)

const dayAndMonth = { weekday: 'long', day: 'numeric', month: 'long' } as const
const hourCycle = computed(() => (twelveHours.value ? 'h12' : 'h23'))

/** How the language writes lists, times and days. Browsers take long to make one of these, so each is made when it is first needed. */
const writes = {
  list: computed(() => new Intl.ListFormat(text.locale)),
  clock: computed(() => new Intl.DateTimeFormat(text.locale, { hour: twelveHours.value ? 'numeric' : '2-digit', minute: '2-digit', hourCycle: hourCycle.value })),
  moment: computed(() => new Intl.DateTimeFormat(text.locale, { dateStyle: 'medium', timeStyle: 'short', hourCycle: hourCycle.value })),
  day: computed(() => new Intl.DateTimeFormat(text.locale, dayAndMonth)),
  dayOfYear: computed(() => new Intl.DateTimeFormat(text.locale, { ...dayAndMonth, year: 'numeric' })),
}

/** Letters of right-to-left scripts, and control characters that change the order of letters. */
const turning = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u
const orders = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** Returns a name for the middle of a text, isolated if its letters could change the order of what is around it. */
export function isolated(name: string): string {
  const plain = name.replaceAll(orders, '')
  return text.direction === 'rtl' || turning.test(plain) ? `\u2068${plain}\u2069` : plain
}

/** Joins names as a sentence does. */
export function list(names: readonly string[]): string {
  return writes.list.value.format(names)
}

/** Writes a time of the day. */
export function clock(time: Date): string {
  return writes.clock.value.format(time)
}

/** Writes the time of the day in a time zone; undefined: the browser doesn't know it. */
export function clockAt(time: Date, timeZone: string): string | undefined {
  try {
    return new Intl.DateTimeFormat(text.locale, { hour: 'numeric', minute: '2-digit', hourCycle: twelveHours.value ? 'h12' : 'h23', timeZone }).format(time)
  } catch {
    return undefined
  }
}

/** Writes a day of the form 2026-11-23. */
export function date(written: string): string {
  const time = new Date(`${written}T00:00:00Z`)
  return Number.isNaN(time.getTime()) ? written : new Intl.DateTimeFormat(text.locale, { dateStyle: 'long', timeZone: 'UTC' }).format(time)
}

/** Writes a day and a time. */
export function moment(time: Date): string {
  return writes.moment.value.format(time)
}

/** Writes how long something takes: 7 days. */
export function duration(unit: 'second' | 'minute' | 'hour' | 'day' | 'year', count: number): string {
  return new Intl.NumberFormat(text.locale, { style: 'unit', unit, unitDisplay: 'long' }).format(count)
}

/** Writes the day, week, month or year before that of now: last month. */
export function last(unit: 'day' | 'week' | 'month' | 'year'): string {
  return new Intl.RelativeTimeFormat(text.locale, { numeric: 'auto' }).format(-1, unit)
}

/** Writes a day as seen from now. */
export function day(time: Date, now: Date): string {
  const days = Math.round((midnight(now) - midnight(time)) / 86_400_000)
  if (days === 0 || days === 1) {
    return days === 0 ? text.today : text.yesterday
  }
  return (time.getFullYear() === now.getFullYear() ? writes.day : writes.dayOfYear).value.format(time)
}

function midnight(time: Date): number {
  return new Date(time.getFullYear(), time.getMonth(), time.getDate()).getTime()
}
