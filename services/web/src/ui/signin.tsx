import { useEffect, useState } from 'preact/hooks'
import { call, CallError } from '../api/request'
import type { Calls } from '../api/schema'
import { text } from '../text/text'

type Server = Calls['GET /server_settings']['reply']

/** Where people ask for a mail to choose another password. */
const resetPath = '/reset/'

/** The screen of those who aren't signed in. */
export function SignIn({ signedIn }: { readonly signedIn: () => void }) {
  const [server, setServer] = useState<Server>()
  const [problem, setProblem] = useState('')
  useEffect(() => {
    call('GET /server_settings', {}).then(setServer, (error: unknown) => setProblem(error instanceof CallError ? error.message : String(error)))
  }, [])
  useEffect(() => {
    document.title = text.signIn
  }, [text.signIn])
  if (server === undefined) {
    return (
      <main class="signin">
        <p role="status">{problem === '' ? text.loading : problem}</p>
      </main>
    )
  }
  if (server.realm_name === undefined) {
    return (
      <main class="signin">
        <h1>{text.noOrganization}</h1>
      </main>
    )
  }
  return (
    <main class="signin">
      {server.realm_icon === undefined ? null : <img class="signin-icon" src={server.realm_icon} alt="" width={56} height={56} />}
      <h1>{text.signInTo(server.realm_name)}</h1>
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

function PasswordForm({ signedIn }: { readonly signedIn: () => void }) {
  const [problem, setProblem] = useState('')
  const [busy, setBusy] = useState(false)
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget as HTMLFormElement)
    setBusy(true)
    try {
      await call('POST /sessions', { username: String(form.get('username')), password: String(form.get('password')) })
      signedIn()
    } catch (error) {
      if (!(error instanceof CallError)) {
        throw error
      }
      setProblem(error.message)
      setBusy(false)
    }
  }
  return (
    <form class="signin-form" onSubmit={(event) => void submit(event)}>
      <label>
        {text.email}
        <input name="username" type="email" autocomplete="username" maxlength={254} required autofocus />
      </label>
      <label>
        {text.password}
        <input name="password" type="password" autocomplete="current-password" maxlength={100} required aria-describedby="signin-problem" />
      </label>
      <p id="signin-problem" class="problem" role="alert">
        {problem}
      </p>
      <button class="primary" disabled={busy}>
        {text.signIn}
      </button>
      <a href={resetPath}>{text.forgotten}</a>
    </form>
  )
}
