import { useState } from 'preact/hooks'
import { callWithFile } from '../../api/file'
import { call } from '../../api/request'
import { useClient, type Client } from '../../client'
import type { ProfileField } from '../../state/organization'
import { text } from '../../text/text'
import { answersOf, choicesOf, fieldTypes } from '../administration/fieldtypes'
import { FileButton, images } from '../administration/filebutton'
import { Many } from '../administration/many'
import { Avatar } from '../avatar'
import { SelectField } from '../form/chosen'
import { reasonOf, useSaving } from '../form/saving'
import { TextField } from '../form/typed'

/** The longest name, and the longest answers of short and of long text, in characters. */
const longestName = 100
const longestShort = 50
const longestLong = 500

/** What others see of the account. */
export function Profile() {
  const client = useClient()
  const { state } = client
  const fixed = isFixed(client, 'name')
  const said = text.account
  return (
    <div class="fields">
      <Picture />
      <TextField
        label={said.name}
        hint={fixed ? said.fixed : undefined}
        disabled={fixed}
        value={state.me.value?.full_name ?? ''}
        most={longestName}
        required
        autocomplete="name"
        save={(full_name) => call('PATCH /settings', { full_name })}
      />
      {state.organization.profileFields.value.map((field) => (
        <Answer key={field.id} field={field} />
      ))}
    </div>
  )
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
    <div class="picture">
      <Avatar key={state.me.value?.avatar_url} user={state.self.value} size={96} />
      <div class="fields">
        <p class="field-buttons">
          <FileButton label={said.choosePicture} accept={images} disabled={fixed || busy} take={take} />
          {state.ownPicture.value ? (
            <button disabled={fixed || busy} onClick={() => void change(() => call('DELETE /users/me/avatar', {}))}>
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

/** The account's answer to a question of profiles. */
function Answer({ field }: { readonly field: ProfileField }) {
  const { state } = useClient()
  const value = state.me.value?.profile_data?.[field.id]?.value ?? ''
  const store = (answer: string | readonly number[]) =>
    answer.length === 0 ? call('DELETE /users/me/profile_data', { data: [field.id] }) : call('PATCH /users/me/profile_data', { data: [{ id: field.id, value: answer }] })
  const shared = { label: field.name, hint: field.hint }
  switch (field.type) {
    case fieldTypes.choice:
      return <SelectField {...shared} value={value} options={[{ value: '', name: text.account.noAnswer }, ...choicesOf(field)]} save={store} />
    case fieldTypes.people:
      return <People field={field} chosen={answersOf(value)} store={store} />
    case fieldTypes.long:
      return <TextField {...shared} long value={value} most={longestLong} save={store} />
    case fieldTypes.date:
      return <TextField {...shared} type="date" value={value} save={store} />
    case fieldTypes.link:
      return <TextField {...shared} type="url" value={value} save={store} />
    default:
      return <TextField {...shared} value={value} most={longestShort} save={store} />
  }
}

function People({ field, chosen, store }: { readonly field: ProfileField; readonly chosen: readonly number[]; readonly store: (ids: readonly number[]) => Promise<unknown> }) {
  const { state } = useClient()
  const saving = useSaving(chosen, store, false)
  const from = state.activePeople.value.map((user) => ({ id: user.user_id, name: user.full_name }))
  return <Many label={field.name} hint={field.hint} from={from} chosen={saving.value} choose={(ids) => void saving.save(ids)} problem={saving.problem} />
}
