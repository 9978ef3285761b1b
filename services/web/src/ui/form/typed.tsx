import { useId } from 'preact/hooks'
import { text } from '../../text/text'
import { atMost } from './atmost'
import { Below, describedBy, Labelled, type Described } from './frame'
import { useSaving, type Saving } from './saving'

interface TextProps extends Described {
  readonly value: string
  readonly save: (value: string) => Promise<unknown>
  /** How many characters it can have. */
  readonly most?: number
  /** Whether it can't be empty. */
  readonly required?: boolean
  /** Several lines. */
  readonly long?: boolean
  readonly type?: 'text' | 'email' | 'url' | 'date'
  readonly autocomplete?: string
}

/** A text that is saved by Enter, or by the button that appears once it was changed. */
export function TextField({ label, hint, disabled = false, value, save, most, required = false, long = false, type = 'text', autocomplete = 'off' }: TextProps) {
  const id = useId()
  const saving = useSaving(value, save, true)
  const shared = {
    id,
    defaultValue: value, // so that it can be seen whether it was changed
    value: saving.value,
    disabled,
    required,
    autocomplete,
    ...(most === undefined ? {} : { maxlength: atMost(most, saving.value) }),
    'aria-describedby': describedBy(id),
    'aria-invalid': saving.problem !== '',
    onInput: (event: { readonly currentTarget: { readonly value: string } }) => saving.type(event.currentTarget.value),
  }
  return (
    <SavedForm saving={saving} label={label}>
      <Labelled id={id} label={label}>
        {long ? <textarea {...shared} rows={3} dir="auto" /> : <input {...shared} type={type as 'text'} dir={type === 'text' ? 'auto' : undefined} />}
        <SaveButtons saving={saving} label={label} />
        <Below id={id} hint={hint} problem={saving.problem} phase={saving.phase} />
      </Labelled>
    </SavedForm>
  )
}

interface NumberProps extends Described {
  readonly value: number
  readonly save: (value: number) => Promise<unknown>
  readonly least?: number
  readonly most?: number
}

/** A whole number that is saved by Enter, or by the button that appears once it was changed. */
export function NumberField({ label, hint, disabled = false, value, save, least = 0, most }: NumberProps) {
  const id = useId()
  const saving = useSaving(String(value), (typed) => save(Number(typed)), true)
  return (
    <SavedForm saving={saving} label={label}>
      <Labelled id={id} label={label}>
        <input
          id={id}
          class="number"
          type="number"
          inputMode="numeric"
          step={1}
          min={least}
          {...(most === undefined ? {} : { max: most })}
          required
          defaultValue={String(value)}
          value={saving.value}
          disabled={disabled}
          aria-describedby={describedBy(id)}
          aria-invalid={saving.problem !== ''}
          onInput={(event) => saving.type(event.currentTarget.value)}
        />
        <SaveButtons saving={saving} label={label} />
        <Below id={id} hint={hint} problem={saving.problem} phase={saving.phase} />
      </Labelled>
    </SavedForm>
  )
}

function SavedForm({ saving, label, children }: { readonly saving: Saving<string>; readonly label: string; readonly children: preact.ComponentChildren }) {
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (saving.changed && saving.phase !== 'saving') {
      void saving.save(saving.value)
    }
  }
  return (
    <form aria-label={label} onSubmit={submit}>
      {children}
    </form>
  )
}

function SaveButtons({ saving, label }: { readonly saving: Saving<string>; readonly label: string }) {
  return !saving.changed || saving.phase === 'saving' ? null : (
    <span class="field-buttons">
      <button class="primary" aria-label={text.settings.change(label)}>
        {text.save}
      </button>
      <button type="button" onClick={() => saving.type(undefined)}>
        {text.cancel}
      </button>
    </span>
  )
}
