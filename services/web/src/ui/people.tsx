import { useId, useState } from 'preact/hooks'
import { useClient, type Client } from '../client'
import { text } from '../text/text'
import { composes } from './composing'
import { called, isListed, named } from './form/listed'
import type { Choosable } from './form/many'

/** How many people are offered. */
const offered = 20

interface Props {
  /** The id of the field. */
  readonly id?: string
  readonly label: string
  readonly chosen: readonly number[]
  readonly change: (chosen: readonly number[]) => void
  /** Who isn't offered. */
  readonly without?: ReadonlySet<number>
}

/** The field in which people are chosen by their names. */
export function PeopleField({ id, label, chosen, change, without }: Props) {
  const { state } = useClient()
  const [typed, setTyped] = useState('')
  const list = useId()
  const wanted = typed.trim().toLowerCase()
  const left = [...state.users.value.values()].filter((user) => !state.inactive.value.has(user.user_id) && !chosen.includes(user.user_id) && !without?.has(user.user_id))
  const matching = wanted === '' ? [] : left.filter((user) => user.full_name.toLowerCase().includes(wanted)).slice(0, offered)
  const nameOf = (user: (typeof left)[number]) => user.full_name
  const add = (value: string, found: (typeof left)[number] | undefined) => {
    setTyped(found === undefined ? value : '')
    if (found !== undefined) {
      change([...chosen, found.user_id])
    }
  }
  return (
    <>
      {chosen.length === 0 ? null : (
        <ul class="chips" aria-label={text.people}>
          {chosen.map((user) => (
            <li key={user} class="chip">
              <span dir="auto">{state.nameOf(user)}</span>{' '}
              <button type="button" class="icon" aria-label={text.removePerson(state.nameOf(user))} onClick={() => change(chosen.filter((one) => one !== user))}>
                ✕
              </button>
            </li>
          ))}
        </ul>
      )}
      <label class="grow">
        {label}{' '}
        <input
          id={id}
          list={list}
          dir="auto"
          placeholder={text.addPerson}
          value={typed}
          onInput={(event) => add(event.currentTarget.value, named(left, nameOf, event.currentTarget.value, isListed(event)))}
          onKeyDown={(event) => {
            if (composes(event)) {
              return
            }
            const first = called(left, nameOf, typed) ?? matching[0]
            if ((event.key === 'Enter' || (event.key === 'Tab' && !event.shiftKey)) && first !== undefined) {
              event.preventDefault()
              add(typed, first)
            } else if (event.key === 'Backspace' && typed === '' && chosen.length > 0) {
              event.preventDefault()
              change(chosen.slice(0, -1))
            }
          }}
        />
      </label>
      <datalist id={list}>
        {matching.map((user) => (
          <option key={user.user_id} value={user.full_name} />
        ))}
      </datalist>
    </>
  )
}

/** All active people, by name; bots if they are wanted. */
export function allPeople({ state }: Client, bots = false): readonly Choosable[] {
  return [...state.users.value.values()]
    .filter((user) => !state.inactive.value.has(user.user_id) && user.is_cross_realm_bot !== true && (bots || !user.is_bot))
    .map((user) => ({ id: user.user_id, name: user.full_name }))
    .sort(byName)
}

/** Orders by name. */
export function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return collator.compare(a.name, b.name)
}

const collator = new Intl.Collator() // localeCompare makes one each time
