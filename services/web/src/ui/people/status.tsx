import { useState } from 'preact/hooks'
import { call, CallError } from '../../api/request'
import { useClient } from '../../client'
import { text } from '../../text/text'
import { Dialog } from '../dialog'
import { atMost } from '../form/atmost'
import { Toggle } from '../form/chosen'
import { Pauses } from '../quiet'

/** The longest status, in characters. */
const longest = 60

/** What one says of oneself, to be changed. */
export function OwnStatus({ close }: { readonly close: () => void }) {
  const { state } = useClient()
  const now = state.statuses.value.get(state.self.value) ?? { text: '', away: false }
  const [typed, setTyped] = useState(now.text)
  const [problem, setProblem] = useState('')
  const said = text.profiles
  const save = async (status: string) => {
    try {
      await call('POST /users/me/status', { status_text: status, away: now.away })
      close()
    } catch (error) {
      if (!(error instanceof CallError)) {
        throw error
      }
      setProblem(error.message)
    }
  }
  return (
    <Dialog title={said.status} class="person" onClose={close}>
      <form class="form" aria-label={said.status} onSubmit={(event) => (event.preventDefault(), void save(typed))}>
        <div class="field">
          <label for="own-status">{said.statusText}</label>
          <input id="own-status" autofocus autocomplete="off" dir="auto" maxlength={atMost(longest, typed)} value={typed} aria-describedby="own-status-problem" onInput={(event) => setTyped(event.currentTarget.value)} />
          <p id="own-status-problem" class="problem" role="alert">
            {problem}
          </p>
        </div>
        <p class="field-buttons" role="group" aria-label={said.suggestions}>
          {said.statuses.map((one) => (
            <button key={one} type="button" class="chip" onClick={() => setTyped(one)}>
              {one}
            </button>
          ))}
        </p>
        <p class="field-buttons">
          <button class="primary">{text.save}</button>
          {now.text === '' ? null : (
            <button type="button" onClick={() => void save('')}>
              {said.clearStatus}
            </button>
          )}
        </p>
      </form>
      <Toggle label={said.lookAway} value={now.away} save={(away) => call('POST /users/me/status', { away })} />
      <Pauses />
    </Dialog>
  )
}
