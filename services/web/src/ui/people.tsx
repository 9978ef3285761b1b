import { X } from 'lucide'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { useClient, type Client } from '../client'
import { text } from '../text/text'
import { composes } from './composing'
import { useTyped, type Choosable } from './form/listed'
import { Icon } from './icon'

interface Props {
  /** The id of the field. */
  readonly id?: string
  readonly label: string
  readonly chosen: readonly number[]
  readonly change: (chosen: readonly number[]) => void
}

/** The field in which people are chosen by their names. */
export function PeopleField({ id, label, chosen, change }: Props) {
  const { state } = useClient()
  const list = useId()
  const field = useRef<HTMLInputElement>(null)
  const left = [...state.users.value.values()].filter((user) => !state.inactive.value.has(user.user_id) && !chosen.includes(user.user_id))
  const { typed, matching, first, take, input } = useTyped(
    left.map((user) => ({ id: user.user_id, name: state.nameOf(user.user_id) })),
    (user) => change([...chosen, user.id]),
  )
  useLayoutEffect(() => field.current?.setCustomValidity(typed.trim() === '' ? '' : text.notListed), [typed]) // a message isn't sent without who was meant
  return (
    <>
      {chosen.length === 0 ? null : (
        <ul class="chips" aria-label={text.people}>
          {chosen.map((user) => (
            <li key={user} class="chip">
              <span dir="auto">{state.nameOf(user)}</span>{' '}
              <button type="button" class="icon" aria-label={text.removePerson(state.nameOf(user))} onClick={() => change(chosen.filter((one) => one !== user))}>
                <Icon of={X} />
              </button>
            </li>
          ))}
        </ul>
      )}
      <label class="grow">
        {label}{' '}
        <input
          ref={field}
          id={id}
          list={list}
          dir="auto"
          placeholder={text.addPerson}
          value={typed}
          onInput={input}
          onKeyDown={(event) => {
            if (composes(event)) {
              return
            }
            if ((event.key === 'Enter' || (event.key === 'Tab' && !event.shiftKey)) && first !== undefined) {
              event.preventDefault()
              take(first)
            } else if (event.key === 'Backspace' && typed === '' && chosen.length > 0) {
              event.preventDefault()
              change(chosen.slice(0, -1))
            }
          }}
        />
      </label>
      <datalist id={list}>
        {matching.map((user) => (
          <option key={user.id} value={user.name} />
        ))}
      </datalist>
    </>
  )
}

/** All active people, by name; bots if they are wanted. */
export function allPeople({ state }: Client, bots = false): readonly Choosable[] {
  return state.active.value.filter((user) => user.is_cross_realm_bot !== true && (bots || !user.is_bot)).map((user) => ({ id: user.user_id, name: state.nameOf(user.user_id) }))
}

/** The groups that have some of these people, each standing for those. */
export function groupsAmong({ state }: Client, people: readonly Choosable[]): readonly Choosable[] {
  const ids = new Set(people.map((one) => one.id))
  return [...state.groups.value.values()]
    .map(({ id, name, members }) => ({ id: -id, name: `@${name}`, members: members.filter((one) => ids.has(one)) })) // no account has such an id
    .filter(({ members }) => members.length > 0)
}
