import { useId, useRef, useState } from 'preact/hooks'
import { text } from '../../text/text'

/** A text to take elsewhere, with a button that copies it. */
export function Copy({ label, value }: { readonly label: string; readonly value: string }) {
  const id = useId()
  const field = useRef<HTMLInputElement>(null)
  const [copied, setCopied] = useState('')
  const copy = async () => {
    field.current?.select()
    try {
      await navigator.clipboard.writeText(value)
      setCopied(value)
    } catch {
      setCopied('') // it is selected, to be copied by keys
    }
  }
  return (
    <div class="field copy">
      <label for={id}>{label}</label>
      <input ref={field} id={id} class="mono" readOnly dir="ltr" value={value} onFocus={(event) => event.currentTarget.select()} />
      <button type="button" aria-label={text.administration.copyOf(label)} onClick={() => void copy()}>
        {text.administration.copy}
      </button>
      <p class="field-hint" role="status">
        {copied === value ? text.administration.copied : ''}
      </p>
    </div>
  )
}
