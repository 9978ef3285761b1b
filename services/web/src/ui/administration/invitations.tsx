import { useEffect, useState } from 'preact/hooks'
import '../../style/administration.css'
import { call } from '../../api/request'
import type { Calls } from '../../api/schema'
import { useClient } from '../../client'
import { moment, text } from '../../text/text'
import { ask } from '../ask'
import { useAction } from './action'
import { Copy } from './copy'
import { Invite } from './invite'
import { Problem } from './problem'

type Invitation = Calls['GET /invites']['reply']['invites'][number]

/** Invites people, and lists the invitations that nobody has accepted. */
export function Invitations() {
  const { state } = useClient()
  const [all, setAll] = useState<readonly Invitation[]>()
  const [done, setDone] = useState(0) // members get no event of invitations, so that what they do themselves counts
  const action = useAction()
  const words = text.administration.invitations
  useEffect(() => {
    void action.run(async () => setAll((await call('GET /invites', {})).invites))
  }, [state.organization.invitations.value, done])
  const changed = () => setDone(done + 1)
  const mailed = (all ?? []).filter((one) => !one.is_multiuse)
  const links = (all ?? []).filter((one) => one.is_multiuse)
  return (
    <>
      <Invite sent={changed} />
      <h3>{words.open}</h3>
      <Problem>{action.problem}</Problem>
      {all !== undefined && mailed.length === 0 ? <p class="soft">{words.none}</p> : null}
      <ul class="cards" aria-label={words.open}>
        {mailed.map((one) => (
          <Mailed key={one.id} invitation={one} changed={changed} />
        ))}
      </ul>
      {links.length === 0 ? null : (
        <>
          <h3>{words.links}</h3>
          <ul class="cards" aria-label={words.links}>
            {links.map((one) => (
              <Link key={one.id} invitation={one} />
            ))}
          </ul>
        </>
      )}
    </>
  )
}

function About({ invitation }: { readonly invitation: Invitation }) {
  const { state } = useClient()
  const roles: Readonly<Record<number, string>> = text.administration.roles
  const words = text.administration.invitations
  return (
    <p class="soft">
      {roles[invitation.invited_as]} · {words.by(state.nameOf(invitation.invited_by_user_id), moment(new Date(invitation.invited * 1000)))}
    </p>
  )
}

function Mailed({ invitation, changed }: { readonly invitation: Invitation; readonly changed: () => void }) {
  const action = useAction()
  const [resent, setResent] = useState(false)
  const words = text.administration.invitations
  const { id, email = '' } = invitation
  const revoke = async () => {
    if (await ask({ title: words.revokeQuestion(email), sentence: words.revokeHint, yes: words.revoke, danger: true })) {
      await action.run(() => call('DELETE /invites/{prereg_id}', { prereg_id: id }))
      changed()
    }
  }
  const resend = async () => setResent(await action.run(() => call('POST /invites/{prereg_id}/resend', { prereg_id: id })))
  return (
    <li class="card">
      <div>
        <strong dir="auto">{email}</strong>
        <About invitation={invitation} />
        <p role="status">{resent ? words.resent : ''}</p>
        <Problem>{action.problem}</Problem>
      </div>
      <span class="field-buttons">
        <button aria-disabled={action.busy} aria-label={words.resendTo(email)} onClick={() => void resend()}>
          {words.resend}
        </button>
        <button aria-disabled={action.busy} aria-label={words.revokeOf(email)} onClick={() => void revoke()}>
          {words.revoke}
        </button>
      </span>
    </li>
  )
}

function Link({ invitation }: { readonly invitation: Invitation }) {
  const action = useAction()
  const words = text.administration.invitations
  const revoke = async () => {
    if (await ask({ title: words.endLinkQuestion, sentence: words.revokeHint, yes: words.revoke, danger: true })) {
      await action.run(() => call('DELETE /invites/multiuse/{invite_id}', { invite_id: invitation.id }))
    }
  }
  return (
    <li class="card">
      <div class="grow">
        {invitation.link_url === undefined ? null : <Copy label={words.link} value={invitation.link_url} />}
        <About invitation={invitation} />
        <Problem>{action.problem}</Problem>
      </div>
      <button aria-disabled={action.busy} onClick={() => void revoke()}>
        {words.revoke}
      </button>
    </li>
  )
}
