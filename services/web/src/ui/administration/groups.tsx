import { useState } from 'preact/hooks'
import '../../style/administration.css'
import { call, type CallError } from '../../api/request'
import { useClient } from '../../client'
import type { UserGroup } from '../../state/model'
import { byName } from '../../text/order'
import { text } from '../../text/text'
import { ask } from '../ask'
import { Dialog } from '../dialog'
import { Form, Input } from '../form/form'
import { TextField } from '../form/typed'
import { useAction } from './action'
import { allPeople } from '../people'
import { Many, ManyField } from '../form/many'
import { useGone } from '../gone'
import { Problem } from './problem'
import { mayChangeGroup, mayMakeGroup } from './rights'

/** How many members are shown at first, and by how many more. */
const portion = 100

/** The longest name and description of a group, in characters. */
const longestName = 100
const longestDescription = 1024

/** The groups of people, which messages can mention. */
export function Groups() {
  const client = useClient()
  const [open, setOpen] = useState<number>()
  const [making, setMaking] = useState(false)
  const words = text.administration.groups
  const all = [...client.state.groups.value.values()].sort(byName)
  return (
    <>
      <p>{words.hint}</p>
      {mayMakeGroup(client) ? (
        <p class="field-buttons">
          <button class="primary" onClick={() => setMaking(true)}>
            {words.add}
          </button>
        </p>
      ) : null}
      {all.length === 0 ? <p class="hint">{words.none}</p> : null}
      <ul class="cards" aria-label={words.list}>
        {all.map((group) => (
          <li key={group.id} class="card">
            <div dir="auto">
              <strong>@{group.name}</strong> <span class="soft">{words.count(group.members.length)}</span>
              <p>{group.description}</p>
            </div>
            <button aria-label={mayChangeGroup(client, group) ? words.changeOf(group.name) : words.membersOf(group.name)} onClick={() => setOpen(group.id)}>
              {mayChangeGroup(client, group) ? text.edit : words.members}
            </button>
          </li>
        ))}
      </ul>
      {open === undefined ? null : <Group id={open} onClose={() => setOpen(undefined)} />}
      {making ? <NewGroup onClose={() => setMaking(false)} /> : null}
    </>
  )
}

/** The field that a refusal is about. */
function blame({ message }: CallError): string {
  return /group '|name/i.test(message) ? 'name' : /description/i.test(message) ? 'description' : ''
}

function NewGroup({ onClose }: { readonly onClose: () => void }) {
  const client = useClient()
  const [members, setMembers] = useState<readonly number[]>([client.state.self.value])
  const words = text.administration.groups
  const make = ({ name = '', description = '' }: Readonly<Record<string, string>>) => call('POST /user_groups/create', { name: name.trim(), description, members })
  const isMade = (typed: Readonly<Record<string, string>>) => [...client.state.groups.peek().values()].some((one) => one.name === typed['name']?.trim())
  return (
    <Dialog title={words.add} class="panel" onClose={onClose}>
      <Form action={words.make} submit={make} made={isMade} done={onClose} blame={blame}>
        <Input name="name" label={words.name} most={longestName} required />
        <Input name="description" label={words.description} most={longestDescription} />
        <Many label={words.members} from={allPeople(client, true)} chosen={members} choose={setMembers} />
      </Form>
    </Dialog>
  )
}

function Group({ id, onClose }: { readonly id: number; readonly onClose: () => void }) {
  const client = useClient()
  const group = client.state.groups.value.get(id)
  useGone(group === undefined, onClose, text.profiles.noGroup)
  if (group === undefined) {
    return null
  }
  return (
    <Dialog title={'@' + group.name} class="panel" onClose={onClose}>
      {mayChangeGroup(client, group) ? <Changeable group={group} /> : <Members group={group} />}
    </Dialog>
  )
}

/** The members, for those who can't change them. */
function Members({ group }: { readonly group: UserGroup }) {
  const { state } = useClient()
  const [most, setMost] = useState(portion)
  const { members } = group
  return (
    <>
      <ul class="names" aria-label={text.administration.groups.members}>
        {members.slice(0, most).map((member) => (
          <li key={member} dir="auto">
            {state.nameOf(member)}
          </li>
        ))}
      </ul>
      {members.length > most ? <button onClick={() => setMost(most + portion)}>{text.profiles.moreOf(members.length - most)}</button> : null}
    </>
  )
}

function Changeable({ group }: { readonly group: UserGroup }) {
  const client = useClient()
  const end = useAction()
  const words = text.administration.groups
  const { id } = group
  const change = (add: readonly number[], remove: readonly number[]) =>
    call('POST /user_groups/{user_group_id}/members', { user_group_id: id, ...(add.length === 0 ? {} : { add }), ...(remove.length === 0 ? {} : { delete: remove }) })
  const remove = async () => {
    if (await ask({ title: words.removeQuestion(group.name), sentence: words.removeHint, yes: text.remove, danger: true })) {
      await end.run(() => call('DELETE /user_groups/{user_group_id}', { user_group_id: id }))
    }
  }
  return (
    <>
      <div class="fields">
        <TextField label={words.name} value={group.name} most={longestName} required save={(name) => call('PATCH /user_groups/{user_group_id}', { user_group_id: id, name })} />
        <TextField
          label={words.description}
          value={group.description}
          most={longestDescription}
          save={(description) => call('PATCH /user_groups/{user_group_id}', { user_group_id: id, description })}
        />
        <ManyField label={words.members} from={allPeople(client, true)} chosen={group.members} save={change} />
      </div>
      <div class="apart">
        <button class="danger" aria-disabled={end.busy} onClick={() => void remove()}>
          {words.remove}
        </button>
        <Problem>{end.problem}</Problem>
      </div>
    </>
  )
}
