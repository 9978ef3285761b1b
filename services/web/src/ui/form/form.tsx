import { createContext, type ComponentChildren } from 'preact'
import { useContext, useId, useRef, useState } from 'preact/hooks'
import { CallError } from '../../api/request'
import { whileBusy } from '../../sync/busy'
import { Busy } from '../busy'
import { atMost } from './atmost'
import { Below, describedBy, Labelled } from './frame'
import { Found, isFound } from './found'
import { offered } from './listed'
import type { Option } from './chosen'

/** What the server refused: the parameter, if it said so, and why. */
interface Refusal {
  readonly field: string
  readonly why: string
}

const none: Refusal = { field: '', why: '' }
const context = createContext<Refusal>(none)

interface FormProps {
  /** What the button says. */
  readonly action: string
  readonly label?: string
  /**
   * Does it, with what was typed by the names of fields; again says that the same was sent before, without an answer. What it throws is shown
   * beside the field that the server refused, or above the button.
   */
  readonly submit: (typed: Readonly<Record<string, string>>, again: boolean) => Promise<unknown>
  /** Whether what was typed is there. The call may have been carried out though its answer never came, and repeating it would be refused. */
  readonly made?: (typed: Readonly<Record<string, string>>) => boolean
  /** What follows once it is done. */
  readonly done?: (typed: Readonly<Record<string, string>>) => void
  /** The field that a refusal is about which names none. */
  readonly blame?: (error: CallError) => string
  readonly danger?: boolean
  /** What is beside the button. */
  readonly beside?: ComponentChildren
  readonly children?: ComponentChildren
}

/** Fields that make sense together, with a button that sends them. What was typed stays until that succeeded; what was refused is no longer said once it changes. */
export function Form({ action, label, submit, made, done, blame, danger = false, beside, children }: FormProps) {
  const [refusal, setRefusal] = useState(none)
  const [busy, setBusy] = useState(false)
  const [waits, setWaits] = useState(false) // since the server is busy
  const unknown = useRef('') // what was sent last without an answer
  const send = async (event: SubmitEvent) => {
    event.preventDefault()
    const form = event.currentTarget as HTMLFormElement
    if (busy) {
      return
    }
    setBusy(true)
    const typed = Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value)]))
    const sent = JSON.stringify(typed)
    try {
      const again = sent === unknown.current
      if (!again || made?.(typed) !== true) {
        await whileBusy(() => submit(typed, again), () => setWaits(true))
      }
      setRefusal(none)
      form.reset()
      done?.(typed)
    } catch (error) {
      if (!(error instanceof CallError)) {
        throw error
      }
      unknown.current = error.passes ? sent : ''
      const field = error.passes ? '' : (blame?.(error.declared) ?? error.field) // no other value would do better
      const named = form.elements.namedItem(field)
      setRefusal({ field: named === null ? '' : field, why: error.message })
      if (named instanceof HTMLElement) {
        named.focus()
      }
    } finally {
      setBusy(false)
      setWaits(false)
    }
  }
  return (
    <form class="form" aria-label={label ?? action} onInput={() => setRefusal(none)} onSubmit={(event) => void send(event)}>
      <context.Provider value={refusal}>{children}</context.Provider>
      <p class="problem" role="alert">
        {refusal.field === '' ? refusal.why : ''}
      </p>
      <Busy waits={waits} />
      <p class="field-buttons">
        <button class={danger ? 'danger' : 'primary'} aria-disabled={busy}>
          {action}
        </button>
        {beside}
      </p>
    </form>
  )
}

/** Returns why the server refused a field of the form around; empty: it didn't. */
function useRefusal(name: string): string {
  const { field, why } = useContext(context)
  return field === name ? why : ''
}

interface InputProps {
  readonly name: string
  readonly label: string
  readonly hint?: string
  readonly value?: string
  readonly type?: 'text' | 'email' | 'url' | 'password' | 'number' | 'date' | 'time' | 'datetime-local'
  readonly most?: number
  readonly required?: boolean
  readonly autocomplete?: string
  /** Several lines. */
  readonly long?: boolean
  /** Whether it is written for programs, and isn't words. */
  readonly code?: boolean
  /** What it may be, which is offered. */
  readonly suggestions?: readonly string[]
}

/** A field of a form. */
export function Input({ name, label, hint, value = '', type = 'text', most, required = false, autocomplete = 'off', long = false, code = false, suggestions = [] }: InputProps) {
  const id = useId()
  const problem = useRefusal(name)
  const [typed, setTyped] = useState(value)
  const shared = {
    id,
    name,
    defaultValue: value,
    required,
    autocomplete,
    ...(most === undefined ? {} : { maxlength: atMost(most, typed) }),
    onInput: (event: { readonly currentTarget: HTMLInputElement | HTMLTextAreaElement }) => setTyped(event.currentTarget.value),
    'aria-describedby': describedBy(id),
    'aria-invalid': problem !== '',
  }
  return (
    <Labelled id={id} label={label}>
      {long ? <textarea {...shared} rows={3} dir="auto" /> : (
        <input
          {...shared}
          class={code ? 'mono' : ''}
          type={type as 'text'}
          dir={code ? 'ltr' : type === 'text' ? 'auto' : undefined}
          spellcheck={!code}
          {...(suggestions.length === 0 ? {} : { list: `${id}-list` })}
        />
      )}
      {suggestions.length === 0 ? null : (
        <datalist id={`${id}-list`}>
          {offered(suggestions, (one) => one, typed).map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      )}
      <Below id={id} hint={hint} problem={problem} />
    </Labelled>
  )
}

interface SelectProps {
  readonly name: string
  readonly label: string
  readonly hint?: string | undefined
  readonly value?: string
  readonly options: readonly Option<string>[]
  /** It is chosen. */
  readonly change?: (value: string) => void
}

/** One of many values, as a field of a form. */
export function Select({ name, label, hint, value, options, change }: SelectProps) {
  const id = useId()
  const problem = useRefusal(name)
  const [chosen, setChosen] = useState(value)
  const choose = (one: string) => {
    setChosen(one)
    change?.(one)
  }
  return (
    <Labelled id={id} label={label}>
      {isFound(options) ? (
        <>
          <Found id={id} options={options} value={chosen} choose={choose} />
          <input type="hidden" name={name} value={chosen} />
        </>
      ) : (
        <select id={id} name={name} aria-describedby={describedBy(id)} aria-invalid={problem !== ''} onChange={(event) => change?.(event.currentTarget.value)}>
          {options.map((option) => (
            <option key={option.value} value={option.value} {...{ defaultSelected: option.value === value }}>
              {option.name}
            </option>
          ))}
        </select>
      )}
      <Below id={id} hint={hint} problem={problem} />
    </Labelled>
  )
}

interface RadiosProps extends Omit<SelectProps, 'hint'> {
  /** Called when another one is chosen. */
  readonly changed?: (value: string) => void
}

/** One of few values, each with its words, as a field of a form. */
export function Radios({ name, label, value, options, changed }: RadiosProps) {
  const id = useId()
  const problem = useRefusal(name)
  return (
    <fieldset class="field" aria-describedby={describedBy(id)}>
      <legend>{label}</legend>
      {options.map((option) => (
        <div key={option.value} class="option">
          <input
            id={`${id}-${option.value}`}
            type="radio"
            name={name}
            value={option.value}
            defaultChecked={option.value === value}
            {...(option.hint === undefined ? {} : { 'aria-describedby': `${id}-${option.value}-hint` })}
            onChange={() => changed?.(option.value)}
          />
          <label for={`${id}-${option.value}`}>{option.name}</label>
          {option.hint === undefined ? null : (
            <p id={`${id}-${option.value}-hint`} class="field-hint">
              {option.hint}
            </p>
          )}
        </div>
      ))}
      <Below id={id} hint={undefined} problem={problem} />
    </fieldset>
  )
}

/** Yes or no, as a field of a form: typed has 'on' for yes. */
export function Check({ name, label, hint, value = false }: { readonly name: string; readonly label: string; readonly hint?: string; readonly value?: boolean }) {
  const id = useId()
  const problem = useRefusal(name)
  return (
    <div class="field option">
      <input id={id} name={name} type="checkbox" defaultChecked={value} aria-describedby={describedBy(id)} />
      <label for={id}>{label}</label>
      <Below id={id} hint={hint} problem={problem} />
    </div>
  )
}
