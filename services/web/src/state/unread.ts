import { signal } from '@preact/signals'
import { keyOf, type Place, type PlaceKey } from './conversation'

interface Bucket {
  readonly key: PlaceKey
  readonly place: Place
  readonly ids: Set<number>
  /** The newest of them; 0: it has to be found. */
  newest: number
}

/**
 * The unread messages by their places. They may be tens of thousands, so the sets change in place; reading any number makes a
 * component follow all of them.
 */
export class Unread {
  private readonly buckets = new Map<PlaceKey, Bucket>()
  private readonly where = new Map<number, Bucket>()
  private readonly version = signal(0)

  /** Forgets everything. */
  clear(): void {
    this.buckets.clear()
    this.where.clear()
    this.version.value++
  }

  /** Adds messages of a place. */
  add(place: Place, ids: Iterable<number>): void {
    const key = keyOf(place)
    let bucket = this.buckets.get(key)
    if (bucket === undefined) {
      bucket = { key, place, ids: new Set(), newest: 0 }
      this.buckets.set(key, bucket)
    }
    for (const id of ids) {
      bucket.newest = bucket.newest === 0 && bucket.ids.size > 0 ? 0 : Math.max(bucket.newest, id)
      bucket.ids.add(id)
      this.where.set(id, bucket)
    }
    this.version.value++
  }

  /** Removes messages, wherever they are; those that aren't unread are ignored. */
  remove(ids: Iterable<number>): void {
    for (const id of ids) {
      const bucket = this.where.get(id)
      if (bucket === undefined) {
        continue
      }
      this.where.delete(id)
      bucket.ids.delete(id)
      bucket.newest = bucket.newest === id ? 0 : bucket.newest
      if (bucket.ids.size === 0) {
        this.buckets.delete(bucket.key)
      }
    }
    this.version.value++
  }

  /** Moves those of the messages that are unread to another place. */
  move(ids: readonly number[], to: Place): void {
    const moved = ids.filter((id) => this.where.has(id))
    if (moved.length > 0) {
      this.remove(moved)
      this.add(to, moved)
    }
  }

  /** All unread messages. */
  ids(): Iterable<number> {
    return this.where.keys()
  }

  /** Whether a message is unread. */
  has(id: number): boolean {
    void this.version.value
    return this.where.has(id)
  }

  /** Where an unread message is; undefined: it isn't unread. */
  placeOf(id: number): Place | undefined {
    void this.version.value
    return this.where.get(id)?.place
  }

  /** How many messages of a place are unread. */
  in(place: Place): number {
    void this.version.value
    return this.buckets.get(keyOf(place))?.ids.size ?? 0
  }

  /** The unread messages of a place. */
  idsIn(place: Place): readonly number[] {
    void this.version.value
    return [...(this.buckets.get(keyOf(place))?.ids ?? [])]
  }

  /** All places with unread messages, each with how many and the newest. */
  places(): readonly { readonly place: Place; readonly count: number; readonly newest: number }[] {
    void this.version.value
    return [...this.buckets.values()].map((bucket) => {
      bucket.newest ||= newestOf(bucket.ids)
      return { place: bucket.place, count: bucket.ids.size, newest: bucket.newest }
    })
  }
}

function newestOf(ids: ReadonlySet<number>): number {
  let newest = 0
  for (const id of ids) {
    newest = Math.max(newest, id)
  }
  return newest
}
