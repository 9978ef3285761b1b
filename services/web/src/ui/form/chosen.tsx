import { useId } from 'preact/hooks'
import { Below, describedBy, Labelled, type Described } from './frame'
import { Found, isFound, type FoundProps } from './found'
import { useSaving } from './saving'

/** One of several values to choose from. */
export interface Option<T> {
  readonly value: T
  readonly name: string
  /** What else one has to know about it. */
  readonly hint?: string
}

interface ChoiceProps<T> extends Described {
  readonly value: T
  readonly options: readonly Option<T>[]
  readonly save: (value: T) => Promise<unknown>
}

interface SelectProps<T> extends ChoiceProps<T> {
  /** What is chosen in place of a value to type another one, and whether it is. Nothing is saved by that. */
  readonly other?: { readonly name: string; readonly open: boolean; readonly choose: () => void }
}

/** One of many values, which is saved when it is chosen. */
export function SelectField<T extends string | number | boolean | null>(props: SelectProps<T>) {
  return isFound(props.options) ? <FoundField {...props} /> : <Listed {...props} />
}

function Listed<T extends string | number | boolean | null>({ label, hint, disabled = false, value, options, save, other }: SelectProps<T>) {
  const id = useId()
  const saving = useSaving(value, save, false)
  const at = other?.open ? options.length : options.findIndex((option) => option.value === saving.value)
  const choose = (index: number) => {
    const option = options[index]
    if (option !== undefined) {
      void saving.save(option.value)
    } else {
      saving.type(undefined)
      other?.choose()
    }
  }
  return (
    <Labelled id={id} label={label}>
      <select id={id} disabled={disabled} value={String(at)} aria-describedby={describedBy(id)} aria-invalid={saving.problem !== ''} onChange={(event) => choose(Number(event.currentTarget.value))}>
        {at === -1 ? <option value="-1">{String(saving.value ?? '')}</option> : null}
        {options.map((option, i) => (
          <option key={i} value={String(i)}>
            {option.name}
          </option>
        ))}
        {other === undefined ? null : <option value={String(options.length)}>{other.name}</option>}
      </select>
      <Below id={id} hint={hint} problem={saving.problem} phase={saving.phase} />
    </Labelled>
  )
}

interface FieldProps<T> extends Described, Pick<FoundProps<T>, 'options' | 'name' | 'missed'> {
  readonly value: T
  readonly save: (value: T) => Promise<unknown>
}

/** One of many, which is found by its name, and saved when it is chosen. */
export function FoundField<T>({ label, hint, value, save, ...rest }: FieldProps<T>) {
  const id = useId()
  const saving = useSaving(value, save, false)
  return (
    <Labelled id={id} label={label}>
      <Found {...rest} id={id} value={saving.value} choose={(chosen) => void saving.save(chosen)} describedBy={describedBy(id)} isInvalid={saving.problem !== ''} />
      <Below id={id} hint={hint} problem={saving.problem} phase={saving.phase} />
    </Labelled>
  )
}

/** One of few values, each with its words, which is saved when it is chosen. */
export function RadioField<T extends string | number | boolean | null>({ label, hint, disabled = false, value, options, save }: ChoiceProps<T>) {
  const id = useId()
  const saving = useSaving(value, save, false)
  return (
    <fieldset class="field" disabled={disabled} aria-describedby={describedBy(id)}>
      <legend>{label}</legend>
      {options.map((option, i) => (
        <div key={i} class="option">
          <input
            id={`${id}-${i}`}
            type="radio"
            name={id}
            checked={option.value === saving.value}
            {...(option.hint === undefined ? {} : { 'aria-describedby': `${id}-${i}-hint` })}
            onChange={() => void saving.save(option.value)}
          />
          <label for={`${id}-${i}`}>{option.name}</label>
          {option.hint === undefined ? null : (
            <p id={`${id}-${i}-hint`} class="field-hint">
              {option.hint}
            </p>
          )}
        </div>
      ))}
      <Below id={id} hint={hint} problem={saving.problem} phase={saving.phase} />
    </fieldset>
  )
}

interface ToggleProps extends Described {
  readonly value: boolean
  readonly save: (value: boolean) => Promise<unknown>
}

/** What is on or off, which is saved at once. */
export function Toggle({ label, hint, disabled = false, value, save }: ToggleProps) {
  const id = useId()
  const saving = useSaving(value, save, false)
  return (
    <div class="field option">
      <input
        id={id}
        class="switch"
        type="checkbox"
        role="switch"
        checked={saving.value}
        disabled={disabled}
        aria-describedby={describedBy(id)}
        onChange={(event) => void saving.save(event.currentTarget.checked)}
      />
      <label for={id}>{label}</label>
      <Below id={id} hint={hint} problem={saving.problem} phase={saving.phase} />
    </div>
  )
}

/** What is on or off in a table: its label is only heard, and only a refusal is shown. */
export function Switch({ label, disabled = false, value, save }: Omit<ToggleProps, 'hint'>) {
  const saving = useSaving(value, save, false)
  return (
    <>
      <input class="switch" type="checkbox" role="switch" aria-label={label} checked={saving.value} disabled={disabled} onChange={(event) => void saving.save(event.currentTarget.checked)} />
      <span class="problem" role="alert">
        {saving.problem}
      </span>
    </>
  )
}
