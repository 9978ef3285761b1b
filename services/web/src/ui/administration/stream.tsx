import { useState } from 'preact/hooks'
import '../../style/administration.css'
import { call, quoted } from '../../api/request'
import { useClient } from '../../client'
import type { Stream as AnyStream } from '../../state/model'
import { duration, text } from '../../text/text'
import { ask } from '../ask'
import { Dialog } from '../dialog'
import { RadioField, SelectField, Toggle } from '../form/chosen'
import { NumberField, TextField } from '../form/typed'
import { useGone } from '../gone'
import { Members } from '../streams/members'
import { useAction } from './action'
import { Problem } from './problem'
import { isOwner } from './rights'

/** The longest name and description, in characters. */
const longestName = 60
const longestDescription = 1024

/** A stream: what it is called, who reads it, who posts, how long, its members and its end. */
export function Stream({ id, close }: { readonly id: number; readonly close: () => void }) {
  const { state } = useClient()
  const [open, setOpen] = useState(false)
  const stream = state.streams.value.get(id)
  const may = stream !== undefined && state.isAdmin.value
  useGone(!may, close)
  if (!may) {
    return null
  }
  const words = text.administration.streams
  const { defaultStreams } = state.organization
  return (
    <Dialog title={'#' + stream.name} class="panel" onClose={close}>
      <div class="fields">
        <TextField label={words.name} value={stream.name} most={longestName} required save={(name) => call('PATCH /streams/{stream_id}', { stream_id: id, new_name: quoted(name) })} />
        <TextField
          label={words.description}
          long
          value={stream.description}
          most={longestDescription}
          save={(description) => call('PATCH /streams/{stream_id}', { stream_id: id, description: quoted(description) })}
        />
        <Privacy stream={stream} />
        <SelectField
          label={words.posting}
          value={stream.stream_post_policy}
          options={[1, 3, 2].map((one) => ({ value: one, name: postersOf(stream, one) }))}
          save={(policy) => call('PATCH /streams/{stream_id}', { stream_id: id, stream_post_policy: policy as 1 | 2 | 3 })}
        />
        <Retention stream={stream} />
        {stream.invite_only ? null : (
          <Toggle
            label={words.default}
            value={defaultStreams.value.has(id)}
            save={(on) => (on ? call('POST /default_streams', { stream_id: id }) : call('DELETE /default_streams', { stream_id: id }))}
          />
        )}
      </div>
      <details class="apart" onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>{words.members}</summary>
        {open ? <Members id={id} /> : null}
      </details>
      <Archive stream={stream} close={close} />
    </Dialog>
  )
}

/** Who posts to a stream with a policy: of a private one, everybody are its members. */
export function postersOf(stream: AnyStream, policy: number): string {
  const words = text.administration.streams
  const policies: Readonly<Record<number, string>> = words.policies
  return stream.invite_only && policy === 1 ? words.itsMembers : (policies[policy] ?? '')
}

/** What a stream's privacy is chosen from. */
type Access = 'public' | 'shared' | 'protected'

function Privacy({ stream }: { readonly stream: AnyStream }) {
  const words = text.administration.streams
  const value: Access = !stream.invite_only ? 'public' : stream.history_public_to_subscribers ? 'shared' : 'protected'
  const save = async (chosen: Access) => {
    await call('PATCH /streams/{stream_id}', { stream_id: stream.stream_id, is_private: chosen !== 'public', history_public_to_subscribers: chosen !== 'protected' })
  }
  const options = (['public', 'shared', 'protected'] as const).map((one) => ({ value: one, name: words.access[one], hint: words.accessHints[one] }))
  return <RadioField label={words.privacy} value={value} options={options} save={save} />
}

/** What is chosen in place of a number of days. */
const kept = { asOrganization: 0, forever: -1 } as const

function Retention({ stream }: { readonly stream: AnyStream }) {
  const client = useClient()
  const [typing, setTyping] = useState(false)
  const words = text.administration.streams
  const owner = isOwner(client)
  const value = stream.message_retention_days ?? kept.asOrganization
  const store = async (days: number) => {
    const sent = days === kept.asOrganization ? 'realm_default' : days === kept.forever ? 'forever' : days
    await call('PATCH /streams/{stream_id}', { stream_id: stream.stream_id, message_retention_days: sent })
    setTyping(false)
  }
  const other = { name: text.administration.limits.other, open: typing, choose: () => setTyping(true) }
  const choose = (chosen: number) => {
    setTyping(false)
    return store(chosen)
  }
  const options = [
    { value: kept.asOrganization, name: words.asOrganization },
    { value: kept.forever, name: text.administration.limits.forever },
    ...[...new Set([7, 30, 90, 365, ...(value > 0 ? [value] : [])])].sort((a, b) => a - b).map((days) => ({ value: days, name: duration('day', days) })),
  ]
  return (
    <>
      <SelectField
        label={words.retention}
        hint={owner ? undefined : text.administration.ownersOnly}
        disabled={!owner}
        value={value}
        options={options}
        save={choose}
        other={other}
      />
      {typing ? <NumberField label={text.administration.limits.days(words.retention)} least={1} value={Math.max(value, 1)} save={store} /> : null}
    </>
  )
}

function Archive({ stream, close }: { readonly stream: AnyStream; readonly close: () => void }) {
  const action = useAction()
  const words = text.administration.streams
  const archive = async () => {
    const sure = await ask({ title: words.archiveQuestion(stream.name), sentence: words.archiveHint, yes: words.archive, danger: true })
    if (sure && (await action.run(() => call('DELETE /streams/{stream_id}', { stream_id: stream.stream_id })))) {
      close()
    }
  }
  return (
    <div class="apart">
      <button class="danger" aria-disabled={action.busy} onClick={() => void archive()}>
        {words.archive}
      </button>
      <Problem>{action.problem}</Problem>
    </div>
  )
}
