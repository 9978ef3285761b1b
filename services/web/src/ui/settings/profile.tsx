import { useState } from 'preact/hooks'
import { callWithFile } from '../../api/file'
import { call } from '../../api/request'
import { useClient, type Client } from '../../client'
import { text } from '../../text/text'
import { FileButton, images } from '../administration/filebutton'
import { Avatar } from '../avatar'
import { reasonOf } from '../form/saving'
import { TextField } from '../form/typed'
import { AnswerField } from '../people/answerfield'

/** The longest name, in characters. */
const longestName = 100

/** What others see of the account. */
export function Profile() {
  const client = useClient()
  const { state } = client
  const me = state.me.value
  const fixed = isFixed(client, 'name')
  const said = text.account
  return (
    <div class="fields">
      <Picture />
      <TextField
        label={said.name}
        hint={fixed ? said.fixed : undefined}
        disabled={fixed}
        value={me?.full_name ?? ''}
        most={longestName}
        required
        autocomplete="name"
        save={(full_name) => call('PATCH /settings', { full_name })}
      />
      {me === undefined ? null : state.organization.profileFields.value.map((field) => <AnswerField key={field.id} user={me} field={field} store={(answer) => answerTo(field.id, answer)} />)}
    </div>
  )
}

function answerTo(field: number, answer: string | readonly number[]): Promise<unknown> {
  return answer.length === 0 ? call('DELETE /users/me/profile_data', { data: [field] }) : call('PATCH /users/me/profile_data', { data: [{ id: field, value: answer }] })
}

/** Whether administrators alone may change this of an account. */
export function isFixed({ state }: Client, what: 'name' | 'email' | 'avatar'): boolean {
  const settings = state.settings.value
  return (settings[`realm_${what}_changes_disabled`] === true || settings[`server_${what}_changes_disabled`] === true) && !state.isAdmin.value
}

function Picture() {
  const client = useClient()
  const { state } = client
  const [problem, setProblem] = useState('')
  const [busy, setBusy] = useState(false)
  const fixed = isFixed(client, 'avatar')
  const said = text.account
  const change = async (how: () => Promise<unknown>) => {
    setBusy(true)
    setProblem(await how().then(() => '', reasonOf))
    setBusy(false)
  }
  const most = Number(state.settings.value['max_avatar_file_size_mib'] ?? 5)
  const take = (file: File) => {
    if (file.size > most * 2 ** 20) {
      setProblem(text.tooLarge(most))
    } else {
      void change(() => callWithFile('POST /users/me/avatar', {}, file))
    }
  }
  return (
    <div class="own-picture">
      <Avatar key={state.me.value?.avatar_url} user={state.self.value} size={96} />
      <div class="fields">
        <p class="field-buttons">
          <FileButton label={said.choosePicture} accept={images} disabled={fixed || busy} take={take} />
          {state.ownPicture.value ? (
            <button aria-disabled={busy} disabled={fixed} onClick={() => void change(() => call('DELETE /users/me/avatar', {}))}>
              {said.removePicture}
            </button>
          ) : null}
        </p>
        <p class="field-hint">{fixed ? said.fixed : said.pictureHint(most)}</p>
        <p class="problem" role="alert">
          {problem}
        </p>
      </div>
    </div>
  )
}
