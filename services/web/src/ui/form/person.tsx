import { useId } from 'preact/hooks'
import { text } from '../../text/text'
import { composes } from '../composing'
import { Below, describedBy, Labelled, type Described } from './frame'
import { useTyped, type Choosable } from './listed'
import { useSaving } from './saving'

interface Props extends Described {
  /** Who can be chosen. */
  readonly from: readonly Choosable[]
  readonly value: number
  /** The name of who is chosen, who may be none of those that can be. */
  readonly name: string
  readonly save: (id: number) => Promise<unknown>
}

/** One of many people, who is found by name, and saved when chosen. What was typed without choosing is forgotten. */
export function PersonField({ label, hint, disabled = false, from, value, name, save }: Props) {
  const id = useId()
  const saving = useSaving(value, save, false)
  const { typed, isTyping, matching, first, take, forget, input } = useTyped(from, (one) => {
    if (one.id !== saving.value) {
      void saving.save(one.id)
    }
  })
  const shown = from.find((one) => one.id === saving.value)?.name ?? name
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && !composes(event) && first !== undefined) {
      event.preventDefault()
      take(first)
    }
  }
  return (
    <Labelled id={id} label={label}>
      <input
        id={id}
        list={`${id}-list`}
        autocomplete="off"
        dir="auto"
        disabled={disabled}
        value={isTyping ? typed : shown}
        aria-describedby={describedBy(id)}
        aria-invalid={saving.problem !== ''}
        onFocus={(event) => event.currentTarget.select()}
        onBlur={forget}
        onInput={input}
        onKeyDown={press}
      />
      <datalist id={`${id}-list`}>
        {matching.map((one) => (
          <option key={one.id} value={one.name} />
        ))}
      </datalist>
      <Below id={id} hint={hint} problem={saving.problem || (isTyping && matching.length === 0 ? text.profiles.nobody : '')} phase={saving.phase} />
    </Labelled>
  )
}
