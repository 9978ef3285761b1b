import { X } from 'lucide'
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { text } from '../../text/text'
import { folded } from '../completion'
import { composes } from '../composing'
import { Icon } from '../icon'
import { useTyped, type Choosable } from './listed'
import { useSaving } from './saving'

/** How many of those that are chosen are shown at first, and by how many more. */
const portion = 100

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

interface FieldProps extends Omit<Props, 'choose' | 'problem'> {
  readonly save: (added: readonly number[], removed: readonly number[]) => Promise<unknown>
}

/** Several of many, each of which is saved when it is chosen or removed, after those before it. */
export function ManyField({ chosen, save, ...rest }: FieldProps) {
  const stored = useRef(chosen) // which events say only later
  const saving = useSaving(
    chosen,
    async (wanted: readonly number[]) => {
      const before = stored.current
      await save(
        wanted.filter((one) => !before.includes(one)),
        before.filter((one) => !wanted.includes(one)),
      )
      stored.current = wanted
    },
    false,
  )
  if (!saving.changed) {
    stored.current = chosen
  }
  return <Many {...rest} chosen={saving.value} choose={(wanted) => void saving.save(wanted)} problem={saving.problem} />
}

/** Several of many, which are found by their names. Of more than there is room for, what is typed finds those that are chosen, too. */
export function Many({ label, hint = '', from, chosen, choose, problem = '' }: Props) {
  const id = useId()
  const field = useRef<HTMLInputElement>(null)
  const [most, setMost] = useState(portion)
  const names = new Map(from.map((one) => [one.id, one.name]))
  const nameOf = (id: number) => names.get(id) ?? String(id)
  const taken = new Set(chosen)
  const left = ({ id, members = [id] }: Choosable) => members.filter((one) => !taken.has(one))
  const { typed, matching, first, take, input } = useTyped(
    from.filter((one) => left(one).length > 0),
    (one) => choose([...chosen, ...left(one)]),
  )
  const wanted = folded(typed.trim())
  const listed = chosen.length > portion && wanted !== '' ? chosen.filter((one) => folded(nameOf(one)).includes(wanted)) : chosen
  const why = wanted !== '' && matching.length === 0 && (listed === chosen || listed.length === 0) ? text.notListed : problem
  useLayoutEffect(() => field.current?.setCustomValidity(typed.trim() === '' ? '' : text.notListed), [typed]) // a form isn't sent without it
  const remove = (id: number) => {
    choose(chosen.filter((one) => one !== id))
    field.current?.focus()
  }
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && !composes(event)) {
      event.preventDefault() // a form isn't sent: a whole name is chosen without it
      if (first !== undefined) {
        take(first)
      }
    }
  }
  return (
    <div class="field many">
      <label for={id}>{label}</label>
      {listed.length === 0 ? null : (
        <ul class="chips" aria-label={label}>
          {listed.slice(0, most).map((one) => (
            <li key={one} class="chip">
              <bdi>{nameOf(one)}</bdi>{' '}
              <button type="button" class="icon" aria-label={text.removePerson(nameOf(one))} onClick={() => remove(one)}>
                <Icon of={X} />
              </button>
            </li>
          ))}
          {listed.length > most ? (
            <li>
              <button type="button" class="plain" onClick={() => setMost(most + portion)}>
                {text.profiles.moreOf(listed.length - most)}
              </button>
            </li>
          ) : null}
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
        onInput={input}
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
