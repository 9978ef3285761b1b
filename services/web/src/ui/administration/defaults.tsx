import { useState } from 'preact/hooks'
import '../../style/administration.css'
import { call, quoted, type CallError } from '../../api/request'
import { useClient } from '../../client'
import type { StreamGroup } from '../../state/organization'
import { text } from '../../text/text'
import { ask } from '../ask'
import { Dialog } from '../dialog'
import { Form, Input } from '../form/form'
import { TextField } from '../form/typed'
import { useAction } from './action'
import { allStreams } from './choices'
import { Many, ManyField } from '../form/many'
import { Problem } from './problem'

/** The longest name and description of a group, in characters. */
const longestName = 60
const longestDescription = 1024

/** The streams that newcomers are subscribed to, and sets of streams that they can choose. */
export function Defaults() {
  const client = useClient()
  const { organization, streams } = client.state
  const [open, setOpen] = useState<number>()
  const [making, setMaking] = useState(false)
  const words = text.administration.defaults
  const change = async (added: readonly number[], removed: readonly number[]) => {
    for (const id of added) {
      await call('POST /default_streams', { stream_id: id })
    }
    for (const id of removed) {
      await call('DELETE /default_streams', { stream_id: id })
    }
  }
  const shown = organization.streamGroups.value.find((group) => group.id === open)
  return (
    <>
      <ManyField
        label={words.streams}
        hint={words.streamsHint}
        from={allStreams(client).filter((one) => streams.value.get(one.id)?.invite_only === false)}
        chosen={[...organization.defaultStreams.value]}
        save={change}
      />
      <h3>{words.groups}</h3>
      <p>{words.groupsHint}</p>
      <p class="field-buttons">
        <button onClick={() => setMaking(true)}>{words.add}</button>
      </p>
      <ul class="cards" aria-label={words.groups}>
        {organization.streamGroups.value.map((group) => (
          <li key={group.id} class="card">
            <div dir="auto">
              <strong>{group.name}</strong>
              <p>{group.description}</p>
              <p class="soft">{group.streams.map((stream) => '#' + stream.name).join(' ')}</p>
            </div>
            <button aria-label={words.changeOf(group.name)} onClick={() => setOpen(group.id)}>
              {text.edit}
            </button>
          </li>
        ))}
      </ul>
      {shown === undefined ? null : <Group group={shown} onClose={() => setOpen(undefined)} />}
      {making ? <NewGroup onClose={() => setMaking(false)} /> : null}
    </>
  )
}

/** The field that a refusal is about. */
function blame({ message, field }: CallError): string {
  return field !== '' ? field : /default stream group/i.test(message) ? 'group_name' : ''
}

function NewGroup({ onClose }: { readonly onClose: () => void }) {
  const client = useClient()
  const [chosen, setChosen] = useState<readonly number[]>([])
  const words = text.administration.defaults
  const make = ({ group_name = '', description = '' }: Readonly<Record<string, string>>) =>
    call('POST /default_stream_groups/create', { group_name, description, stream_names: chosen.map((id) => client.state.streamName(id)) })
  const isMade = (typed: Readonly<Record<string, string>>) => client.state.organization.streamGroups.peek().some((one) => one.name === typed['group_name']?.trim())
  return (
    <Dialog title={words.add} class="panel" onClose={onClose}>
      <Form action={words.make} submit={make} made={isMade} done={onClose} blame={blame}>
        <Input name="group_name" label={words.name} most={longestName} required />
        <Input name="description" label={words.description} most={longestDescription} />
        <Many label={words.groupStreams} from={offered(client.state.organization.defaultStreams.value, allStreams(client))} chosen={chosen} choose={setChosen} />
      </Form>
    </Dialog>
  )
}

/** Default streams can't be in groups. */
function offered<T extends { readonly id: number }>(defaults: ReadonlySet<number>, all: readonly T[]): readonly T[] {
  return all.filter((one) => !defaults.has(one.id))
}

function Group({ group, onClose }: { readonly group: StreamGroup; readonly onClose: () => void }) {
  const client = useClient()
  const end = useAction()
  const words = text.administration.defaults
  const { id } = group
  const names = (ids: readonly number[]) => ids.map((one) => client.state.streamName(one))
  const change = async (added: readonly number[], removed: readonly number[]) => {
    for (const [op, stream_names] of Object.entries({ add: names(added), remove: names(removed) })) {
      if (stream_names.length > 0) {
        await call('PATCH /default_stream_groups/{group_id}/streams', { group_id: id, op, stream_names })
      }
    }
  }
  const remove = async () => {
    if (await ask({ title: words.removeQuestion(group.name), sentence: words.removeHint, yes: text.remove, danger: true })) {
      await end.run(() => call('DELETE /default_stream_groups/{group_id}', { group_id: id }))
    }
  }
  return (
    <Dialog title={group.name} class="panel" onClose={onClose}>
      <div class="fields">
        <TextField label={words.name} value={group.name} most={longestName} required save={(name) => call('PATCH /default_stream_groups/{group_id}', { group_id: id, new_group_name: quoted(name) })} />
        <TextField
          label={words.description}
          value={group.description}
          most={longestDescription}
          save={(description) => call('PATCH /default_stream_groups/{group_id}', { group_id: id, new_description: quoted(description) })}
        />
        <ManyField
          label={words.groupStreams}
          from={offered(client.state.organization.defaultStreams.value, allStreams(client))}
          chosen={group.streams.map((stream) => stream.stream_id)}
          save={change}
        />
      </div>
      <div class="apart">
        <button class="danger" aria-disabled={end.busy} onClick={() => void remove()}>
          {words.remove}
        </button>
        <Problem>{end.problem}</Problem>
      </div>
    </Dialog>
  )
}
