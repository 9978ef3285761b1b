import type { ComponentProps } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { call, CallError } from '../api/request'
import type { Calls } from '../api/schema'
import { pauseAfter, type Backoff } from '../sync/backoff'
import { whileBusy } from '../sync/busy'
import { text } from '../text/text'
import { Busy } from './busy'

type Server = Calls['GET /server_settings']['reply']

/** Pages of the server without scripts: where people have a mail sent to choose another password, to join, or to sign up an organization. */
const resetPath = '/reset/'
const joinPath = '/register'
const foundPath = '/new/'

/** The pauses before the server is asked again what it is. */
const backoff: Backoff = { first: 1_000, longest: 10_000 }

/** What is said where the server doesn't say what it is. Addresses of no organization are bad requests. */
function problemOf(error: unknown): string {
  if (!(error instanceof CallError)) {
    throw error
  }
  return error.status === 400 ? text.noOrganization : error.message
}

interface Props {
  /** Whether somebody's account was deactivated who was signed in. */
  readonly deactivated: boolean
  /** Whether somebody was signed in until just now. */
  readonly ended: boolean
  readonly signedIn: () => void
}

/** The screen of those who aren't signed in. */
export function SignIn({ deactivated, ended, signedIn }: Props) {
  const [server, setServer] = useState<Server>()
  const [problem, setProblem] = useState('')
  const [tries, setTries] = useState(0)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    call('GET /server_settings', {}).then(setServer, (error: unknown) => {
      setProblem(problemOf(error))
      if (error instanceof CallError && error.passes) {
        timer = setTimeout(() => setTries(tries + 1), pauseAfter(backoff, tries, error.wait))
      }
    })
    return () => clearTimeout(timer)
  }, [tries])
  useEffect(() => {
    document.title = text.signIn
  }, [text.signIn])
  if (server === undefined) {
    return (
      <main class="signin">
        {problem === '' ? <p role="status">{text.loading}</p> : <h1>{problem}</h1>}
      </main>
    )
  }
  if (server.realm_name === undefined) {
    return (
      <main class="signin">
        <h1>{text.noOrganization}</h1>
        <p>
          <a href={foundPath}>{text.signUpOrganization}</a>
        </p>
      </main>
    )
  }
  const icon = server.realm_icon === undefined ? null : <img class="signin-icon" src={server.realm_icon} alt="" width={56} height={56} />
  if (server.realm_deactivated === true) {
    return (
      <main class="signin">
        {icon}
        <h1>{server.realm_name}</h1>
        <p>{text.isDeactivated}</p>
      </main>
    )
  }
  return (
    <main class="signin">
      {icon}
      <h1>{text.signInTo(server.realm_name)}</h1>
      {deactivated || ended ? <p role="status">{deactivated ? text.accountDeactivated : text.sessionEnded}</p> : null}
      <Providers server={server} />
      {server.email_auth_enabled ? <PasswordForm signedIn={signedIn} /> : null}
    </main>
  )
}

function Providers({ server }: { readonly server: Server }) {
  const all = server.external_authentication_methods
  if (all.length === 0) {
    return null
  }
  const next = '?next=' + encodeURIComponent('/' + location.hash)
  return (
    <>
      <div class="signin-providers">
        {all.map((one) => (
          <a key={one.name} class="button" href={one.login_url + next}>
            {text.signInWith(one.display_name)}
          </a>
        ))}
      </div>
      {server.email_auth_enabled ? <p class="signin-or">{text.or}</p> : null}
    </>
  )
}

/** What is wrong with what was typed, and into which field. */
interface Refusal {
  readonly field: 'username' | 'password'
  readonly text: string
}

function PasswordForm({ signedIn }: { readonly signedIn: () => void }) {
  const [refusal, setRefusal] = useState<Refusal>()
  const [busy, setBusy] = useState(false)
  const [waits, setWaits] = useState(false) // since the server is busy
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    const form = event.currentTarget as HTMLFormElement
    const typed = new FormData(form)
    setBusy(true)
    setRefusal(undefined)
    try {
      await whileBusy(
        () => call('POST /sessions', { username: String(typed.get('username')), password: String(typed.get('password')) }),
        () => setWaits(true),
      )
      signedIn()
    } catch (error) {
      if (!(error instanceof CallError)) {
        throw error
      }
      const field = error.status === 400 ? 'username' : 'password' // what is no address is a bad request
      setRefusal({ field, text: error.message })
      setBusy(false)
      setWaits(false)
      form.querySelector<HTMLInputElement>(`[name=${field}]`)?.select()
    }
  }
  return (
    <form class="signin-form" onSubmit={(event) => void submit(event)}>
      <SignInField name="username" label={text.email} refusal={refusal} input={{ type: 'email', autocomplete: 'username', maxlength: 254, autofocus: true }} />
      <SignInField name="password" label={text.password} refusal={refusal} input={{ type: 'password', autocomplete: 'current-password', maxlength: 100 }} />
      <button class="primary" disabled={busy}>
        {text.signIn}
      </button>
      <Busy waits={waits} />
      <p class="signin-links">
        <a href={resetPath}>{text.forgotten}</a>
        <a href={joinPath}>{text.noAccount}</a>
      </p>
    </form>
  )
}

function SignInField(props: {
  readonly name: Refusal['field']
  readonly label: string
  readonly refusal: Refusal | undefined
  readonly input: ComponentProps<'input'>
}) {
  const { name, label, refusal, input } = props
  const problem = refusal?.field === name ? refusal.text : ''
  return (
    <div class="signin-field">
      <label for={name}>{label}</label>
      <input {...input} id={name} name={name} required aria-describedby={`${name}-problem`} aria-invalid={problem !== ''} />
      <p id={`${name}-problem`} class="problem" role="alert">
        {problem}
      </p>
    </div>
  )
}
