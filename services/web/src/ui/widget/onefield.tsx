import { useEffect, useId, useRef } from 'preact/hooks'
import { text } from '../../text/text'
import { composes } from '../composing'

interface Props {
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
export function OneField({ label, button, value, problemID, done, close }: Props) {
  const field = useRef<HTMLInputElement>(null)
  const id = useId()
  useEffect(() => {
    if (close !== undefined) {
      field.current?.select()
    }
  }, [])
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    const { current } = field
    const typed = current?.value.trim() ?? ''
    if (current !== null && close === undefined) {
      current.value = '' // the next one may be typed before the answer
    }
    if (!(await done(typed)) && current !== null && close === undefined) {
      current.value = [typed, current.value].filter(Boolean).join(' ')
    }
  }
  const key = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && !composes(event) && close !== undefined) {
      event.preventDefault()
      event.stopPropagation()
      close()
    }
  }
  return (
    <form class="one-field" onSubmit={(event) => void submit(event)} onKeyDown={key}>
      <label class="hidden" for={id}>
        {label}
      </label>
      <input ref={field} id={id} defaultValue={value} placeholder={label} maxlength={500} dir="auto" autocomplete="off" aria-describedby={problemID} />
      <button>{button}</button>
      {close === undefined ? null : (
        <button type="button" class="plain" onClick={close}>
          {text.cancel}
        </button>
      )}
    </form>
  )
}
