import { signal } from '@preact/signals'
import { keyOf, type Place, type PlaceKey } from './conversation'

/** A place with unread messages, as of now. */
export interface UnreadPlace {
  readonly place: Place
  readonly count: number
  readonly newest: number
}

class Bucket implements UnreadPlace {
  readonly ids = new Set<number>()
  /** The newest of them; 0: it has to be found. */
  private found = 0

  constructor(
    readonly key: PlaceKey,
    readonly place: Place,
  ) {}

  get count(): number {
    return this.ids.size
  }

  get newest(): number {
    return (this.found ||= newestOf(this.ids))
  }

  add(id: number): void {
    this.found = this.found === 0 && this.ids.size > 0 ? 0 : Math.max(this.found, id)
    this.ids.add(id)
  }

  delete(id: number): void {
    this.ids.delete(id)
    this.found = this.found === id ? 0 : this.found
  }
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
      bucket = new Bucket(key, place)
      this.buckets.set(key, bucket)
    }
    for (const id of ids) {
      bucket.add(id)
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
      bucket.delete(id)
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

  /** All places with unread messages. They may be thousands, and several parts of the page count them at each change, so none is copied. */
  places(): Iterable<UnreadPlace> {
    void this.version.value
    return this.buckets.values()
  }
}

function newestOf(ids: ReadonlySet<number>): number {
  let newest = 0
  for (const id of ids) {
    newest = Math.max(newest, id)
  }
  return newest
}
