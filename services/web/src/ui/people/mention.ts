import type { Client } from '../../client'
import { groupMentionOf, mentionOf } from '../../markdown/names'
import { insert } from '../insert'
import { onceRendered } from '../rendered'

/** Returns the field in which a message is written; null: there is none on screen. */
function field(): HTMLTextAreaElement | null {
  return document.querySelector<HTMLTextAreaElement>('textarea#compose')
}

/** Whether there is a message in which somebody could be mentioned. */
export function canMention(): boolean {
  return field() !== null
}

/** Mentions somebody in the message that is being written. */
export function mentionPerson({ state }: Client, person: number): void {
  const name = state.users.peek().get(person)?.full_name ?? state.nameOf(person)
  write(mentionOf(name, person, state.isShared(name)))
}

/** Mentions a group in the message that is being written, if its name can be written. */
export function mentionGroup({ state }: Client, group: number): void {
  const mention = groupMentionOf(state.groups.peek().get(group)?.name ?? '')
  if (mention !== undefined) {
    write(mention)
  }
}

/** Writes behind what was typed, once the dialog is closed. */
function write(mention: string): void {
  onceRendered(() => {
    const to = field()
    if (to !== null) {
      const end = to.value.length
      insert(to, end, end, `${/\S$/.test(to.value) ? ' ' : ''}${mention} `)
    }
  })
}
