import type { Client } from '../../client'
import { showPeople } from '../screens'

/** Who or what is shown in a dialog: a person, a group, or one's own status to change. */
export type Shown = { readonly person: number } | { readonly group: number } | 'status'

/** Shows whom a mention in a message names, and reports whether it is such a mention. */
export function showMentioned(client: Client, target: Element): boolean {
  const { person, group } = target.closest<HTMLElement>('button[data-person], button[data-group]')?.dataset ?? {}
  if (person !== undefined) {
    showPeople(client, { person: Number(person) })
  } else if (group !== undefined) {
    showPeople(client, { group: Number(group) })
  }
  return person !== undefined || group !== undefined
}
