import { effect } from '@preact/signals'
import '../../style/form.css'
import '../../style/lists.css'
import { useState } from 'preact/hooks'
import { call, CallError } from '../../api/request'
import { useClient, type Client } from '../../client'
import { text } from '../../text/text'
import { Dialog } from '../dialog'
import { Check, Form, Input, Radios, Select } from '../form/form'
import { Many } from '../form/many'
import { Cancel } from '../move'
import { allPeople, groupsAmong } from '../people'
import { canInvite } from '../rights'

/** How long a stream's name can be, and its description, in characters (rest-api.md, section 3.1). */
const longestName = 60
const longestDescription = 1024

/** The form in which a stream is made. */
export function NewStream({ close }: { readonly close: () => void }) {
  const client = useClient()
  const { state } = client
  const [who, setWho] = useState('public')
  const [people, setPeople] = useState<readonly number[]>([])
  const words = text.acting.streams
  const self = state.self.value
  const others = allPeople(client, true).filter((one) => one.id !== self)
  const submit = async (typed: Readonly<Record<string, string>>) => {
    const name = (typed['name'] ?? '').trim()
    if (named(client, name) !== undefined) {
      throw new CallError(words.taken, 400, '', 0, 'name') // the server would only subscribe to it
    }
    await call('POST /users/me/subscriptions', {
      subscriptions: [{ name, description: typed['description'] ?? '' }],
      ...(people.length === 0 ? {} : { principals: [self, ...people] }),
      invite_only: who !== 'public',
      history_public_to_subscribers: who !== 'secret',
      stream_post_policy: Number(typed['post'] ?? 1) as 1 | 2 | 3,
      announce: typed['announce'] === 'on',
    })
  }
  const done = ({ name = '' }: Readonly<Record<string, string>>) => {
    close()
    if (client.page.peek() === undefined) { // whoever sets the organization up stays there
      goOnce(client, name.trim())
    }
  }
  return (
    <Dialog class="form-dialog" title={words.create} onClose={close}>
      <Form action={words.make} submit={submit} made={({ name = '' }) => state.subscriptions.peek().has(named(client, name.trim()) ?? 0)} done={done} blame={(error) => error.field || (/description/i.test(error.message) ? 'description' : /name|access stream/i.test(error.message) ? 'name' : '')} beside={<Cancel close={close} />}>
        <Input name="name" label={words.name} most={longestName} required />
        <Input name="description" label={words.description} most={longestDescription} />
        <Radios
          name="who"
          label={words.who}
          value="public"
          changed={setWho}
          options={[
            { value: 'public', name: words.public, hint: words.publicHint },
            { value: 'shared', name: words.shared },
            { value: 'secret', name: words.secret },
          ]}
        />
        <Select
          name="post"
          label={words.post}
          options={[
            { value: '1', name: who === 'public' ? words.postAll : words.postMembers },
            { value: '2', name: words.postAdmins },
            { value: '3', name: words.postNew },
          ]}
        />
        {canInvite(client) ? (
          <Many label={words.addPeople} hint={words.addPeopleHint} from={[...others, ...groupsAmong(client, others)]} chosen={people} choose={setPeople} />
        ) : null}
        {who === 'public' && Number(state.settings.value['realm_notifications_stream_id'] ?? -1) >= 0 ? <Check name="announce" label={words.announce} value /> : null}
      </Form>
    </Dialog>
  )
}

function named(client: Client, name: string): number | undefined {
  return [...client.state.streams.value.values()].find((stream) => stream.name.toLowerCase() === name.toLowerCase())?.stream_id
}

/** Goes to a stream as soon as its event has come. */
function goOnce(client: Client, name: string): void {
  const stop = effect(() => {
    const stream = named(client, name)
    if (stream !== undefined) {
      queueMicrotask(() => {
        stop()
        client.go({ narrow: [{ operator: 'stream', operand: stream }] })
      })
    }
  })
}
