import { useEffect, useState } from 'preact/hooks'
import { isOutdated } from '../api/request'
import { Client, ClientProvider } from '../client'
import { ready, text } from '../text/text'
import { Frame } from './frame'
import { keepFocus } from './keepfocus'
import { clearOfKeyboard } from './keyboard'
import { followLanguage } from './language'
import { SignIn } from './signin'

/** The whole page. */
export function App() {
  const [client, setClient] = useState(() => new Client())
  useEffect(() => {
    client.start()
    const end = followLanguage(client.state)
    return () => {
      end()
      client.end()
    }
  }, [client])
  useEffect(keepFocus, [])
  useEffect(clearOfKeyboard, [])
  const { connection, state } = client
  const isReplaced = connection.status.value === 'replaced' || isOutdated.value
  useEffect(() => {
    if (isReplaced) {
      location.reload() // nothing of one account stays with another one
    }
  }, [isReplaced])
  if (!ready.value || isReplaced) {
    return null
  }
  if (connection.status.value === 'signed out') {
    return <SignIn deactivated={connection.deactivated.value} ended={state.registrations.value > 0} signedIn={() => setClient(new Client())} />
  }
  if (state.registrations.value === 0) {
    return <Loading problem={connection.failed.value} />
  }
  return (
    <ClientProvider value={client}>
      <Frame signedOut={() => setClient(new Client())} />
    </ClientProvider>
  )
}

function Loading({ problem }: { readonly problem: boolean }) {
  return (
    <main class="loading">
      <p role="status">{problem ? text.notReached : text.loading}</p>
    </main>
  )
}
