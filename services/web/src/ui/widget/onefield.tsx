import { useEffect, useId, useRef } from 'preact/hooks'
import { text } from '../../text/text'
import { composes } from '../composing'
import { keepTyped, typedIn } from './typed'

interface Props {
  /** What it is for, by which what is typed is kept. */
  readonly name: string
  readonly label: string
  readonly button: string
  readonly value: string
  /** Where it is said what was refused. */
  readonly problemID: string
  /** Takes what was typed; false: it was refused, and stays. */
  readonly done: (typed: string) => Promise<boolean>
  /** Leaves the field, where it is there for a while only. */
  readonly close?: () => void
}

/** A field with a button. */
export function OneField({ name, label, button, value, problemID, done, close }: Props) {
  const field = useRef<HTMLInputElement>(null)
  const id = useId()
  useEffect(() => {
    if (close !== undefined) {
      field.current?.select()
    }
  }, [])
  const shown = typedIn(name) ?? value
  const keep = (typed: string) => keepTyped(name, typed === value ? undefined : typed)
  const leave = () => {
    keep(value)
    close?.()
  }
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    const typed = shown.trim()
    if (close === undefined) {
      keep('') // the next one may be typed before the answer
    }
    if (await done(typed)) {
      if (close !== undefined) {
        keep(value)
      }
    } else if (close === undefined) {
      keep([typed, typedIn(name)].filter(Boolean).join(' '))
    }
  }
  const key = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && !composes(event) && close !== undefined) {
      event.preventDefault()
      event.stopPropagation()
      leave()
    }
  }
  return (
    <form class="one-field" onSubmit={(event) => void submit(event)} onKeyDown={key}>
      <label class="hidden" for={id}>
        {label}
      </label>
      <input ref={field} id={id} defaultValue={value} value={shown} onInput={(event) => keep(event.currentTarget.value)} placeholder={label} maxlength={500} dir="auto" autocomplete="off" aria-describedby={problemID} />
      <button>{button}</button>
      {close === undefined ? null : (
        <button type="button" class="plain" onClick={leave}>
          {text.cancel}
        </button>
      )}
    </form>
  )
}
