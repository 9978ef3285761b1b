import { signal } from '@preact/signals'

/** What is typed in the fields of widgets and isn't added yet, by field: a message that is scrolled away leaves the page with its own. */
const kept = signal<ReadonlyMap<string, string>>(new Map())

/** Returns what is typed in a field; undefined: nothing that isn't added. */
export function typedIn(field: string): string | undefined {
  return kept.value.get(field)
}

/** Keeps what is typed in a field; undefined: it is added, or isn't wanted any more. */
export function keepTyped(field: string, typed: string | undefined): void {
  const now = new Map(kept.peek())
  if (typed === undefined) {
    now.delete(field)
  } else {
    now.set(field, typed)
  }
  kept.value = now
}

/** Reports whether something is kept that isn't added. */
export function isTyped(): boolean {
  return kept.peek().size > 0
}
