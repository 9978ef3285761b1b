import { useState } from 'preact/hooks'
import { call, CallError } from '../../api/request'
import { useClient } from '../../client'
import { addressOfPage } from '../../state/page'
import { text } from '../../text/text'
import { Form, Input, Select } from '../form/form'
import { useAction } from './action'
import { allStreams, roles, rolesOf } from './choices'
import { Copy } from './copy'
import { Many } from '../form/many'
import { Problem } from './problem'
import { isAdmin } from './rights'

/** What the server says of an address that it didn't invite: the address, why, and whether its account is deactivated. */
type Refused = readonly (readonly [string, string, boolean])[]

/** The address of the page on which accounts are activated again. */
const accounts = addressOfPage({ area: 'organization', path: 'people' })

/** Invites people by mail, or makes a link by which anybody may join. */
export function Invite({ sent }: { readonly sent: () => void }) {
  const client = useClient()
  const { defaultStreams } = client.state.organization
  const [chosen, setChosen] = useState<readonly number[]>()
  const [refused, setRefused] = useState<Refused>([])
  const [said, setSaid] = useState('')
  const [role, setRole] = useState(String(roles.member))
  const words = text.administration.invitations
  const from = allStreams(client)
  const streams = chosen ?? from.filter((one) => defaultStreams.value.has(one.id)).map((one) => one.id)
  const send = async ({ addresses = '' }: Readonly<Record<string, string>>) => {
    setSaid('')
    setRefused([])
    try {
      await call('POST /invites', { invitee_emails: addresses, invite_as: Number(role), stream_ids: streams })
    } catch (error) {
      if (error instanceof CallError) {
        setRefused((error.answer['errors'] ?? []) as Refused)
        sent() // some may have been invited
      }
      throw error
    }
    setSaid(words.sent)
    sent()
  }
  return (
    <>
      <Form action={words.send} submit={send} blame={(error) => (/stream/i.test(error.message) ? 'streams' : /role|type of user|administrator|owner/i.test(error.message) ? 'role' : 'addresses')}>
        <Input name="addresses" label={words.addresses} hint={words.addressesHint} long required />
        {refused.length === 0 ? null : (
          <ul class="problem refused">
            {refused.map(([address, why, isInactive]) => (
              <li key={address}>
                <bdi>{address}</bdi>: {why} {isInactive && isAdmin(client) ? <a href={accounts}>{text.administration.people.reactivate}</a> : null}
              </li>
            ))}
          </ul>
        )}
        <Select name="role" label={words.as} value={role} options={rolesOf(client)} change={setRole} />
        <Many label={words.streams} hint={words.streamsHint} from={from} chosen={streams} choose={setChosen} />
        <p role="status">{said}</p>
      </Form>
      {isAdmin(client) ? <NewLink role={Number(role)} streams={streams} /> : null}
    </>
  )
}

/** Makes a link for anybody, with the role and the streams that are chosen above. */
function NewLink({ role, streams }: { readonly role: number; readonly streams: readonly number[] }) {
  const action = useAction()
  const [made, setMade] = useState('')
  const words = text.administration.invitations
  const make = () => action.run(async () => setMade((await call('POST /invites/multiuse', { invite_as: role, stream_ids: streams })).invite_link))
  return (
    <div class="apart">
      <p>{words.linkHint}</p>
      <p class="field-buttons">
        <button aria-disabled={action.busy} onClick={() => void make()}>
          {words.makeLink}
        </button>
      </p>
      <Problem>{action.problem}</Problem>
      {made === '' ? null : <Copy label={words.newLink} value={made} />}
    </div>
  )
}
