import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { text } from '../../text/text'
import { composes } from '../composing'
import { called, isListed, named } from './listed'

/** How many suggestions there are at most. */
const offered = 20

/** Something that can be chosen. */
export interface Choosable {
  readonly id: number
  readonly name: string
}

interface Props {
  readonly label: string
  /** What else one has to know, in a sentence. */
  readonly hint?: string
  /** What can be chosen. */
  readonly from: readonly Choosable[]
  readonly chosen: readonly number[]
  readonly choose: (chosen: readonly number[]) => void
  /** Why the choice was refused; empty: it wasn't. */
  readonly problem?: string
}

/** Several of many, which are found by their names. */
export function Many({ label, hint = '', from, chosen, choose, problem = '' }: Props) {
  const id = useId()
  const [typed, setTyped] = useState('')
  const field = useRef<HTMLInputElement>(null)
  const names = new Map(from.map((one) => [one.id, one.name]))
  const left = from.filter((one) => !chosen.includes(one.id))
  const wanted = typed.trim().toLowerCase()
  const matching = wanted === '' ? left.slice(0, offered) : left.filter((one) => one.name.toLowerCase().includes(wanted)).slice(0, offered)
  const why = typed.trim() !== '' && matching.length === 0 ? text.notListed : problem
  useLayoutEffect(() => field.current?.setCustomValidity(typed.trim() === '' ? '' : text.notListed), [typed]) // a form isn't sent without it
  const nameOf = (one: Choosable) => one.name
  const type = (value: string, found: Choosable | undefined) => {
    setTyped(found === undefined ? value : '')
    if (found !== undefined) {
      choose([...chosen, found.id])
    }
  }
  const remove = (id: number) => {
    choose(chosen.filter((one) => one !== id))
    field.current?.focus()
  }
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && !composes(event)) {
      event.preventDefault() // a form isn't sent: a whole name is chosen without it
      if (typed !== '') {
        type(typed, called(left, nameOf, typed) ?? matching[0])
      }
    }
  }
  return (
    <div class="field many">
      <label for={id}>{label}</label>
      {chosen.length === 0 ? null : (
        <ul class="chips" aria-label={label}>
          {chosen.map((one) => (
            <li key={one} class="chip">
              <bdi>{names.get(one) ?? one}</bdi>{' '}
              <button type="button" class="icon" aria-label={text.removePerson(String(names.get(one) ?? one))} onClick={() => remove(one)}>
                ✕
              </button>
            </li>
          ))}
        </ul>
      )}
      <input
        ref={field}
        id={id}
        list={`${id}-list`}
        autocomplete="off"
        dir="auto"
        value={typed}
        aria-describedby={`${id}-hint ${id}-problem`}
        aria-invalid={why !== ''}
        onInput={(event) => type(event.currentTarget.value, named(left, nameOf, event.currentTarget.value, isListed(event)))}
        onKeyDown={press}
      />
      <datalist id={`${id}-list`}>
        {matching.map((one) => (
          <option key={one.id} value={one.name} />
        ))}
      </datalist>
      <p id={`${id}-hint`} class="field-hint">
        {hint}
      </p>
      <p id={`${id}-problem`} class="problem" role="alert">
        {why}
      </p>
    </div>
  )
}
