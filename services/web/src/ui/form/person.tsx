import { useId, useState } from 'preact/hooks'
import { text } from '../../text/text'
import { composes } from '../composing'
import { Below, describedBy, Labelled, type Described } from './frame'
import { isListed, matchingIn, named, type Choosable } from './listed'
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
  const [typed, setTyped] = useState<string>()
  const matching = matchingIn(from, typed ?? '')
  const shown = from.find((one) => one.id === saving.value)?.name ?? name
  const take = (one: Choosable) => {
    setTyped(undefined)
    if (one.id !== saving.value) {
      void saving.save(one.id)
    }
  }
  const input = (event: InputEvent & { readonly currentTarget: HTMLInputElement }) => {
    const found = named(from, (one) => one.name, event.currentTarget.value, isListed(event))
    if (found === undefined) {
      setTyped(event.currentTarget.value)
    } else {
      take(found)
    }
  }
  const press = (event: KeyboardEvent) => {
    const [first] = matching
    if (event.key === 'Enter' && !composes(event) && typed !== undefined && typed.trim() !== '' && first !== undefined) {
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
        value={typed ?? shown}
        aria-describedby={describedBy(id)}
        aria-invalid={saving.problem !== ''}
        onFocus={(event) => event.currentTarget.select()}
        onBlur={() => setTyped(undefined)}
        onInput={input}
        onKeyDown={press}
      />
      <datalist id={`${id}-list`}>
        {matching.map((one) => (
          <option key={one.id} value={one.name} />
        ))}
      </datalist>
      <Below id={id} hint={hint} problem={saving.problem || (typed !== undefined && matching.length === 0 ? text.profiles.nobody : '')} phase={saving.phase} />
    </Labelled>
  )
}
