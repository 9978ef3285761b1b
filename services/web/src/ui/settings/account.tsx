import { useEffect, useState } from 'preact/hooks'
import { call } from '../../api/request'
import type { Calls } from '../../api/schema'
import { useClient } from '../../client'
import { moment, text } from '../../text/text'
import { useAction } from '../administration/action'
import type { BotKey } from '../administration/botkey'
import { KeyShown } from '../administration/keyshown'
import { Problem } from '../administration/problem'
import { ask } from '../ask'
import { Form, Input } from '../form/form'
import { isFixed } from './profile'

/** The longest address and password, in characters. */
const longestAddress = 254
const longestPassword = 100

/** Where people ask for a mail to choose another password. */
const resetPath = '/reset/'

/** How the account signs in, and what programs use. */
export function Account() {
  return (
    <>
      <Address />
      <Password />
      <Sessions />
      <Identities />
      <Key />
      <Deactivation />
    </>
  )
}

function Address() {
  const client = useClient()
  const { settings } = client.state
  const [sent, setSent] = useState('')
  const said = text.account
  const address = String(settings.value['delivery_email'] ?? settings.value['email'] ?? '')
  const submit = async ({ email = '' }: Readonly<Record<string, string>>) => {
    setSent('')
    await call('PATCH /settings', { email })
    setSent(email)
  }
  return (
    <section>
      <h3>{text.email}</h3>
      <p>{said.addressNow(address)}</p>
      {isFixed(client, 'email') ? (
        <p class="field-hint">{said.fixed}</p>
      ) : (
        <Form action={said.changeAddress} submit={submit} blame={() => 'email'}>
          <Input name="email" label={said.newAddress} type="email" most={longestAddress} required autocomplete="email" />
        </Form>
      )}
      <p role="status">{sent === '' ? '' : said.addressSent(sent)}</p>
    </section>
  )
}

function Password() {
  const { settings } = useClient().state
  const [changed, setChanged] = useState(false)
  const said = text.account
  const least = Number(settings.value['password_min_length'] ?? 0)
  const submit = async ({ old_password = '', new_password = '' }: Readonly<Record<string, string>>) => {
    setChanged(false)
    await call('PATCH /settings', { old_password, new_password })
    setChanged(true)
  }
  return (
    <section>
      <h3>{text.password}</h3>
      <Form action={said.changePassword} submit={submit} blame={(error) => (/weak|long/i.test(error.message) ? 'new_password' : 'old_password')} beside={<a href={resetPath}>{text.forgotten}</a>}>
        <Input name="old_password" label={said.oldPassword} type="password" most={longestPassword} required autocomplete="current-password" />
        <Input name="new_password" label={said.newPassword} hint={said.passwordHint(least)} type="password" most={longestPassword} required autocomplete="new-password" />
      </Form>
      <p role="status">{changed ? said.passwordChanged : ''}</p>
    </section>
  )
}

type Session = Calls['GET /sessions']['reply']['sessions'][number]

function Sessions() {
  const [sessions, setSessions] = useState<readonly Session[]>([])
  const action = useAction()
  const said = text.account
  const fetch = async () => setSessions((await call('GET /sessions', {})).sessions)
  useEffect(() => void action.run(fetch), [])
  const end = (ids: readonly number[]) =>
    action.run(async () => {
      for (const id of ids) {
        await call('DELETE /sessions/{session_id}', { session_id: id })
      }
      await fetch()
    })
  const others = sessions.filter((session) => !session.current)
  return (
    <section>
      <h3>{said.sessions}</h3>
      <Problem>{action.problem}</Problem>
      <ul class="list">
        {sessions.map((session) => (
          <li key={session.id}>
            <span class="list-name">{session.current ? said.thisSession : session.client}</span>
            <span class="list-about">{said.since(moment(new Date(session.created_at * 1000)))}</span>
            {session.current ? null : (
              <button aria-label={said.endSession(session.client)} onClick={() => void end([session.id])}>
                {text.signOut}
              </button>
            )}
          </li>
        ))}
      </ul>
      {others.length > 1 ? (
        <p>
          <button onClick={() => void end(others.map((session) => session.id))}>{said.endOthers}</button>
        </p>
      ) : null}
    </section>
  )
}

type Identity = Calls['GET /identities']['reply']['identities'][number]

function Identities() {
  const [identities, setIdentities] = useState<readonly Identity[]>([])
  const action = useAction()
  const said = text.account
  const fetch = async () => setIdentities((await call('GET /identities', {})).identities)
  useEffect(() => void action.run(fetch), [])
  const unlink = (issuer: string) =>
    action.run(async () => {
      await call('DELETE /identities', { issuer })
      await fetch()
    })
  if (identities.length === 0 && action.problem === '') {
    return null
  }
  return (
    <section>
      <h3>{said.identities}</h3>
      <Problem>{action.problem}</Problem>
      <ul class="list">
        {identities.map(({ issuer, created_at }) => (
          <li key={issuer}>
            <span class="list-name">{hostOf(issuer)}</span>
            <span class="list-about">{said.since(moment(new Date(created_at * 1000)))}</span>
            <button aria-label={said.unlinkFrom(hostOf(issuer))} onClick={() => void unlink(issuer)}>
              {said.unlink}
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}

function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).host : address
}

/** A key for programs: another one with each password, or one in place of all others. */
function Key() {
  const { settings } = useClient().state
  const [made, setMade] = useState<BotKey>()
  const action = useAction()
  const said = text.account
  const site = String(settings.value['realm_uri'] ?? location.origin)
  const email = String(settings.value['delivery_email'] ?? settings.value['email'] ?? '')
  const show = async ({ password = '' }: Readonly<Record<string, string>>) => {
    const { api_key: key } = await call('POST /fetch_api_key', { username: email, password })
    setMade({ email, key, site })
  }
  const replace = async () => {
    if (await ask({ title: said.replaceKey, sentence: said.replaceKeyHint, yes: said.replaceKey, danger: true })) {
      await action.run(async () => {
        const { api_key: key } = await call('POST /users/me/api_key/regenerate', {})
        setMade({ email, key, site })
      })
    }
  }
  return (
    <section>
      <h3>{said.key}</h3>
      <p>{said.keyHint}</p>
      {made === undefined ? (
        <Form action={said.showKey} submit={show} blame={(error) => (error.status === 0 ? '' : 'password')}>
          <Input name="password" label={text.password} type="password" most={longestPassword} required autocomplete="current-password" />
        </Form>
      ) : (
        <KeyShown made={made} incoming={false} />
      )}
      <p>
        <button class="danger" aria-disabled={action.busy} onClick={() => void replace()}>
          {said.replaceKey}
        </button>
      </p>
      <Problem>{action.problem}</Problem>
    </section>
  )
}

function Deactivation() {
  const action = useAction()
  const said = text.account
  const leave = async () => {
    if (await ask({ title: said.deactivate, sentence: said.deactivateHint, yes: said.deactivateNow, danger: true })) {
      await action.run(() => call('DELETE /users/me', {}))
    }
  }
  return (
    <section>
      <h3>{said.leave}</h3>
      <p>
        <button class="danger" aria-disabled={action.busy} onClick={() => void leave()}>
          {said.deactivate}
        </button>
      </p>
      <Problem>{action.problem}</Problem>
    </section>
  )
}
