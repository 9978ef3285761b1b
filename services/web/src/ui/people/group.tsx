import { useState } from 'preact/hooks'
import { useClient } from '../../client'
import type { State } from '../../state/state'
import { text } from '../../text/text'
import { Avatar } from '../avatar'
import { Dialog } from '../dialog'
import { HereMark } from './here'
import { canMention, mentionGroup } from './mention'
import type { Shown } from './shown'

/** How many members are shown at first, and by how many more. */
const portion = 50

/** Who is in a group. */
export function Group({ id, show, close }: { readonly id: number; readonly show: (what: Shown) => void; readonly close: () => void }) {
  const client = useClient()
  const { state } = client
  const [most, setMost] = useState(portion)
  const group = state.groups.value.get(id)
  const said = text.profiles
  const members = inOrder(state, group?.members ?? [])
  return (
    <Dialog title={group?.name ?? said.noGroup} class="person" onClose={close}>
      <p dir="auto">{group?.description}</p>
      <p class="soft">{said.members(members.length)}</p>
      <ul class="group-members" aria-label={said.members(members.length)}>
        {members.slice(0, most).map((member) => (
          <li key={member}>
            <button class="entry plain" onClick={() => show({ person: member })}>
              <Avatar user={member} size={24} />
              <HereMark person={member} />
              <bdi class="entry-name">{state.nameOf(member)}</bdi>
            </button>
          </li>
        ))}
      </ul>
      <p class="field-buttons">
        {members.length > most ? <button onClick={() => setMost(most + portion)}>{said.more}</button> : null}
        {canMention() && group !== undefined ? <button onClick={() => (close(), mentionGroup(client, id))}>{said.mention}</button> : null}
      </p>
    </Dialog>
  )
}

/** Returns people by name, those last who were deactivated. */
function inOrder(state: State, people: readonly number[]): readonly number[] {
  const wanted = new Set(people)
  const active = state.active.value.map((user) => user.user_id).filter((user) => wanted.has(user)) // which are in order: sorting thousands takes long
  return [...new Set([...active, ...people])]
}
