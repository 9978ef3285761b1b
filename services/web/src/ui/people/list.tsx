import { useComputed, useSignal } from '@preact/signals'
import { X } from 'lucide'
import { useEffect } from 'preact/hooks'
import '../../style/people.css'
import { serverTime } from '../../api/wire'
import { useClient } from '../../client'
import { privatePlace } from '../../state/conversation'
import type { User } from '../../state/model'
import { narrowTo } from '../../state/narrow'
import { text } from '../../text/text'
import { folded } from '../completion'
import { composes } from '../composing'
import { goToWrite } from '../compose'
import { Icon } from '../icon'
import { hereOfPerson } from '../presence'
import { showPeople } from '../screens'
import { HereMark } from './here'
import { filterID, listID, peopleOpen } from './panel'

/** How many people are listed at first, and by how many more. */
const portion = 50
/** How often it is looked who is still there, in milliseconds. */
const interval = 60_000

/** People with whether they are there, who is there first, found by typing. */
export function PeopleList() {
  const client = useClient()
  const { state } = client
  const typed = useSignal('')
  const most = useSignal(portion)
  const now = useSignal(serverTime())
  useEffect(() => {
    const timer = setInterval(() => (now.value = serverTime()), interval)
    return () => clearInterval(timer)
  }, [])
  const found = useComputed(() => {
    const wanted = folded(typed.value.trim())
    const all = wanted === '' ? state.activePeople.value : state.activePeople.value.filter((user) => folded(user.full_name).includes(wanted))
    const by = { active: [] as User[], idle: [] as User[], away: [] as User[] }
    for (const user of all) {
      by[hereOfPerson(state, user.user_id, now.value)].push(user)
    }
    return [...by.active, ...by.idle, ...by.away]
  })
  const said = text.profiles
  const placeOf = (user: User) => privatePlace([user.user_id], state.self.value)
  const go = () => {
    const [first] = found.value
    if (first !== undefined) {
      typed.value = ''
      peopleOpen.value = false
      goToWrite(client, placeOf(first))
    }
  }
  return (
    <aside class="people-panel" aria-label={said.people}>
      <form class="bar" role="search" aria-label={said.find} onSubmit={(event) => (event.preventDefault(), go())}>
        <input
          id={filterID}
          type="search"
          aria-label={said.find}
          placeholder={said.find}
          autocomplete="off"
          dir="auto"
          maxlength={100}
          value={typed.value}
          onInput={(event) => {
            typed.value = event.currentTarget.value
            most.value = portion
          }}
          onKeyDown={(event) => {
            if (event.key === 'Escape' && !composes(event)) { // the key also leads to the messages
              typed.value = ''
            }
          }}
        />
        <button type="button" class="icon people-close" aria-label={text.close} onClick={() => (peopleOpen.value = false)}>
          <Icon of={X} />
        </button>
      </form>
      <ul id={listID} tabIndex={-1} aria-label={said.people}>
        {found.value.slice(0, most.value).map((user) => (
          <Row key={user.user_id} user={user} address={client.address({ narrow: narrowTo(placeOf(user)) })} />
        ))}
        {found.value.length > most.value ? (
          <li>
            <button class="entry plain" onClick={() => (most.value += portion)}>
              {said.moreOf(found.value.length - most.value)}
            </button>
          </li>
        ) : null}
      </ul>
      <p class="hint" role="status">
        {found.value.length === 0 ? said.nobody : ''}
      </p>
    </aside>
  )
}

function Row({ user, address }: { readonly user: User; readonly address: string }) {
  const client = useClient()
  const { state } = client
  const status = state.statuses.value.get(user.user_id)?.text ?? ''
  const name = state.nameOf(user.user_id)
  return (
    <li class="people-row">
      <a class="entry" href={address} onClick={() => (peopleOpen.value = false)}>
        <HereMark person={user.user_id} />
        <span class="entry-name">
          <bdi class="people-name">{name}</bdi>
          {status === '' ? null : (
            <bdi class="people-status">
              {' '}
              {status}
            </bdi>
          )}
        </span>
      </a>
      <button class="icon" aria-label={text.profiles.profileOf(name)} title={text.profiles.profileOf(name)} onClick={() => showPeople(client, { person: user.user_id })}>
        ⋯
      </button>
    </li>
  )
}
