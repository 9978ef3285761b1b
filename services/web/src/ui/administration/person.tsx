import '../../style/administration.css'
import { call, quoted } from '../../api/request'
import { useClient } from '../../client'
import type { User } from '../../state/model'
import { day, text } from '../../text/text'
import { ask } from '../ask'
import { Avatar } from '../avatar'
import { Dialog } from '../dialog'
import { SelectField } from '../form/chosen'
import { TextField } from '../form/typed'
import { useGone } from '../gone'
import { AnswerField } from '../people/answerfield'
import { HereText } from '../people/heretext'
import { useAction } from './action'
import { roleOf, roles, rolesOf } from './choices'
import { Problem } from './problem'
import { isOwner } from './rights'

/** An account: its name, role and answers, each saved by itself. */
export function Person({ id, close }: { readonly id: number; readonly close: () => void }) {
  const client = useClient()
  const { state } = client
  const user = state.users.value.get(id)
  const words = text.administration.people
  const may = user !== undefined && state.isAdmin.value
  useGone(!may, close)
  if (!may) {
    return null
  }
  const role = roleOf(user)
  const mayChangeRole = role !== roles.owner || isOwner(client)
  const names: Readonly<Record<number, string>> = text.administration.roles
  return (
    <Dialog title={user.full_name} class="panel" onClose={close}>
      <div class="who">
        <Avatar user={id} size={48} />
        <p>
          {user.delivery_email ?? user.email}
          <br />
          <span class="soft">
            {words.joined(day(new Date(user.date_joined), new Date()))} · <HereText id={id} />
          </span>
        </p>
      </div>
      <div class="fields">
        <TextField label={words.name} value={user.full_name} most={100} required save={(name) => call('PATCH /users/{user_id}', { user_id: id, full_name: quoted(name) })} />
        <SelectField
          label={words.role}
          hint={mayChangeRole ? undefined : words.ownersOnly}
          disabled={!mayChangeRole}
          value={String(role)}
          options={mayChangeRole ? rolesOf(client) : [{ value: String(role), name: names[role] ?? '' }]}
          save={(chosen) => call('PATCH /users/{user_id}', { user_id: id, role: Number(chosen) })}
        />
        {state.organization.profileFields.value.map((field) => (
          <AnswerField
            key={field.id}
            user={user}
            field={field}
            store={(value) => call('PATCH /users/{user_id}', { user_id: id, profile_data: [{ id: field.id, value }] })}
          />
        ))}
      </div>
      <Activity user={user} mayEnd={mayChangeRole} />
    </Dialog>
  )
}

/** Ends the account, or activates it again. */
function Activity({ user, mayEnd }: { readonly user: User; readonly mayEnd: boolean }) {
  const { state } = useClient()
  const action = useAction()
  const words = text.administration.people
  const deactivate = async () => {
    if (await ask({ title: words.deactivateQuestion(user.full_name), sentence: words.deactivateHint, yes: words.deactivate, danger: true })) {
      await action.run(() => call('DELETE /users/{user_id}', { user_id: user.user_id }))
    }
  }
  return (
    <div class="apart">
      {state.inactive.value.has(user.user_id) ? (
        <button aria-disabled={action.busy} onClick={() => void action.run(() => call('POST /users/{user_id}/reactivate', { user_id: user.user_id }))}>
          {words.reactivate}
        </button>
      ) : (
        <button class="danger" disabled={!mayEnd} aria-disabled={action.busy} onClick={() => void deactivate()}>
          {words.deactivate}
        </button>
      )}
      <Problem>{action.problem}</Problem>
    </div>
  )
}
