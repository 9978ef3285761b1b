import { signal } from '@preact/signals'

/** Who or what is shown in a dialog: a person, a group, or one's own status to change. */
export type Shown = { readonly person: number } | { readonly group: number } | 'status'

/** What is shown; undefined: nothing. */
export const shown = signal<Shown | undefined>(undefined)

/** Shows whom a mention in a message names, and reports whether it is such a mention. */
export function showMentioned(target: Element): boolean {
  const { person, group } = target.closest<HTMLElement>('button[data-person], button[data-group]')?.dataset ?? {}
  if (person !== undefined) {
    shown.value = { person: Number(person) }
  } else if (group !== undefined) {
    shown.value = { group: Number(group) }
  }
  return person !== undefined || group !== undefined
}
