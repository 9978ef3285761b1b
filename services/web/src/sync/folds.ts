import { signal } from '@preact/signals'
import type { Store } from './storage'

/** Which parts of the screen are folded; the browser keeps it. */
export class Folds {
  private readonly store: Store
  private readonly folded

  constructor(store: Store) {
    this.store = store
    this.folded = signal<readonly string[]>(store.read<readonly string[]>('folded') ?? [])
  }

  /** Whether a part is folded. */
  has(name: string): boolean {
    return this.folded.value.includes(name)
  }

  /** Folds a part, or unfolds it. */
  toggle(name: string): void {
    const folded = this.folded.peek()
    this.folded.value = folded.includes(name) ? folded.filter((one) => one !== name) : [...folded, name]
    this.store.write('folded', this.folded.peek())
  }
}
