import { computed, signal } from '@preact/signals'
import { isQuiet, type Quiet } from '../state/quiet'
import type { Store } from './storage'

/** Where the browser keeps it for the page, and for the service worker, which has no other storage. */
const kept = 'quiet'
const cacheName = 'quiet'

/** A timer takes no longer time, in milliseconds. */
const longest = 24 * 60 * 60 * 1000

/** When an account doesn't want to be disturbed in this browser: neither by notifications nor by sounds. */
export class Silence {
  private readonly store: Store
  private readonly quiet
  private timer: ReturnType<typeof setTimeout> | undefined

  constructor(store: Store) {
    this.store = store
    this.quiet = signal<Quiet>(store.read<Quiet>(kept) ?? {})
    store.follow((name) => (name === kept ? this.take(store.read<Quiet>(kept) ?? {}) : undefined))
    this.take(this.quiet.peek())
  }

  /** Until when notifications are paused; undefined: they aren't. */
  readonly until = computed(() => (this.quiet.value.until === undefined ? undefined : new Date(this.quiet.value.until)))

  /** From and until what time they are every day; undefined: they aren't. */
  readonly nights = computed(() => this.quiet.value.nights)

  /** Reports whether nobody is to be disturbed now. */
  get isNow(): boolean {
    return isQuiet(this.quiet.peek(), new Date())
  }

  /** Pauses notifications until a time, or no longer. */
  pause(until: Date | undefined): void {
    this.write({ nights: this.quiet.peek().nights, until: until?.getTime() })
  }

  /** Pauses them at a time of each day, or no longer. */
  everyNight(nights: readonly [from: string, until: string] | undefined): void {
    this.write({ until: this.quiet.peek().until, nights })
  }

  private write({ until, nights }: { readonly until: number | undefined; readonly nights: Quiet['nights'] }): void {
    const quiet = { ...(until === undefined ? {} : { until }), ...(nights === undefined ? {} : { nights }) }
    this.store.write(kept, quiet)
    this.take(quiet)
    void globalThis.caches?.open(cacheName).then((cache) => cache.put('/', Response.json(quiet))).catch(() => {}) // pushes are heard then
  }

  /** Has it be so from now on, without a pause that is over. */
  private take(quiet: Quiet): void {
    clearTimeout(this.timer)
    const left = (quiet.until ?? 0) - Date.now()
    this.quiet.value = quiet.until !== undefined && left <= 0 ? { ...(quiet.nights === undefined ? {} : { nights: quiet.nights }) } : quiet
    if (left > 0) {
      this.timer = setTimeout(() => this.take(this.quiet.peek()), Math.min(left, longest))
    }
  }
}
