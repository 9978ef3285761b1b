import { useMemo, useState } from 'preact/hooks'
import '../../style/administration.css'
import { call } from '../../api/request'
import { useClient } from '../../client'
import type { User } from '../../state/model'
import { compareNames } from '../../text/order'
import { text } from '../../text/text'
import { Avatar } from '../avatar'
import { folded } from '../completion'
import { Dialog } from '../dialog'
import { Form, Input } from '../form/form'
import { invitations } from '../nothing'
import { roleOf, roles } from './choices'
import { Person } from './person'
import { Cell, Rows } from './rows'

/** Which people are listed. */
type Wanted = 'active' | 'inactive' | keyof typeof roles

/** The accounts of people: a table in which one is found by name or address, and opened. */
export function People() {
  const { state } = useClient()
  const [typed, setTyped] = useState('')
  const [wanted, setWanted] = useState<Wanted>('active')
  const [open, setOpen] = useState<number>()
  const [adding, setAdding] = useState(false)
  const words = text.administration.people
  const users = state.users.value
  const inactive = state.inactive.value
  const people = useMemo(() => [...users.values()].filter((user) => !user.is_bot).sort((a, b) => compareNames(a.full_name, b.full_name)), [users])
  const shown = people.filter((user) => isWanted(user, wanted, inactive) && has(user, folded(typed.trim())))
  const names: Readonly<Record<number, string>> = text.administration.roles
  return (
    <>
      <div class="filters">
        <label class="grow">
          <span class="hidden">{words.find}</span>
          <input type="search" placeholder={words.find} value={typed} onInput={(event) => setTyped(event.currentTarget.value)} />
        </label>
        <label>
          <span class="hidden">{words.which}</span>
          <select value={wanted} onChange={(event) => setWanted(event.currentTarget.value as Wanted)}>
            {(['active', 'owner', 'administrator', 'member', 'guest', 'inactive'] as const).map((one) => (
              <option key={one} value={one}>
                {words.those[one]}
              </option>
            ))}
          </select>
        </label>
        <a class="button" href={invitations}>
          {text.organizations.invite}
        </a>
        <button onClick={() => setAdding(true)}>{words.add}</button>
      </div>
      <p class="soft" role="status">
        {words.count(shown.length)}
      </p>
      <Rows label={words.table} items={shown} keyOf={(user) => user.user_id} columns={[words.name, words.address, words.role]} class="people">
        {(user) => (
          <>
            <Cell class="who">
              <Avatar user={user.user_id} size={32} />
              <button class="plain" dir="auto" onClick={() => setOpen(user.user_id)}>
                {user.full_name}
              </button>
            </Cell>
            <Cell class="soft">
              <Address>{user.delivery_email ?? user.email}</Address>
            </Cell>
            <Cell>{inactive.has(user.user_id) ? words.inactive : names[roleOf(user)]}</Cell>
          </>
        )}
      </Rows>
      {open === undefined ? null : <Person id={open} close={() => setOpen(undefined)} />}
      {adding ? <NewPerson onClose={() => setAdding(false)} /> : null}
    </>
  )
}

/** A mail address, which continues on another line with one of its parts if it has to. */
function Address({ children: address }: { readonly children: string }) {
  return <>{address.split(/(?=[@.])/).map((part, i) => (i === 0 ? part : [<wbr key={i} />, part]))}</>
}

function isWanted(user: User, wanted: Wanted, inactive: ReadonlySet<number>): boolean {
  const gone = inactive.has(user.user_id)
  return wanted === 'inactive' ? gone : !gone && (wanted === 'active' || roleOf(user) === roles[wanted])
}

function has(user: User, wanted: string): boolean {
  return folded(user.full_name).includes(wanted) || folded(user.delivery_email ?? user.email).includes(wanted)
}

/** Makes an account, for those who can't be invited by mail. */
function NewPerson({ onClose }: { readonly onClose: () => void }) {
  const words = text.administration.people
  const { users } = useClient().state
  const make = ({ email = '', full_name = '', password = '' }: Readonly<Record<string, string>>) => call('POST /users', { email, full_name, password })
  const isMade = ({ email = '', full_name: name = '' }: Readonly<Record<string, string>>) =>
    [...users.peek().values()].some((one) => one.full_name === name.trim() && (one.delivery_email ?? one.email).toLowerCase() === email.trim().toLowerCase())
  return (
    <Dialog title={words.add} class="panel" onClose={onClose}>
      <p>{words.addHint}</p>
      <Form action={words.make} submit={make} made={isMade} done={onClose} blame={(error) => (/password/i.test(error.message) ? 'password' : /name/i.test(error.message) ? 'full_name' : 'email')}>
        <Input name="full_name" label={words.name} most={100} required />
        <Input name="email" type="email" label={words.address} most={254} required />
        <Input name="password" type="password" label={text.password} hint={words.passwordHint} most={100} autocomplete="new-password" required />
      </Form>
    </Dialog>
  )
}
