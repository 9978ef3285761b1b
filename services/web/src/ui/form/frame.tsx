import type { ComponentChildren } from 'preact'
import { text } from '../../text/text'
import type { Saving } from './saving'

/** What all fields have. */
export interface Described {
  readonly label: string
  /** What else one has to know, in a sentence. */
  readonly hint?: string | undefined
  readonly disabled?: boolean
}

/** The names of the elements that describe a field. */
export function describedBy(id: string): string {
  return `${id}-hint ${id}-said`
}

/** What is below a field: its hint, and why it was refused or that it was saved. */
export function Below({ id, hint, problem, phase = 'idle' }: { readonly id: string; readonly hint?: string | undefined; readonly problem: string; readonly phase?: Saving<unknown>['phase'] }) {
  return (
    <>
      <p id={`${id}-hint`} class="field-hint">
        {hint ?? ''}
      </p>
      <p id={`${id}-said`} class="field-said">
        <span role="status">{phase === 'idle' ? '' : text.settings[phase]}</span>
        <span class="problem" role="alert">
          {problem}
        </span>
      </p>
    </>
  )
}

/** A label over its field. */
export function Labelled({ id, label, children }: { readonly id: string; readonly label: string; readonly children: ComponentChildren }) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children}
    </div>
  )
}
