import type { ComponentChildren } from 'preact'
import { useClient } from '../client'
import { Count } from './count'

interface Props {
  /** What the browser keeps it by that the section is folded, and the id of its heading. */
  readonly name: string
  readonly title: string
  /** How many unread messages are in it, which is shown where it is folded. */
  readonly count: number
  /** What is beside the heading. */
  readonly beside?: ComponentChildren
  readonly children: ComponentChildren
}

/** A part of the sidebar that can be folded. */
export function Section({ name, title, count, beside, children }: Props) {
  const { folds } = useClient()
  const folded = folds.has(name)
  return (
    <>
      <div class="section">
        <h3>
          <button id={name} class="plain fold" aria-expanded={!folded} onClick={() => folds.toggle(name)}>
            {title}
            {folded ? <Count count={count} loud={false} /> : null}
          </button>
        </h3>
        {beside}
      </div>
      {folded ? null : children}
    </>
  )
}
