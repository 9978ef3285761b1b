import type { IconNode } from 'lucide'
import { h } from 'preact'

interface Props {
  readonly of: IconNode
  /** Whether its shape is filled. */
  readonly full?: boolean
  /** Whether it points where one reads to or from, which is mirrored in languages that are written from right to left. */
  readonly directed?: boolean
}

/** A sign in the size and colour of the text around it. Those who hear the page don't hear it: what it stands for has a name. */
export function Icon({ of, full = false, directed = false }: Props) {
  return (
    <svg class={`glyph${full ? ' full' : ''}${directed ? ' directed' : ''}`} viewBox="0 0 24 24" aria-hidden="true">
      {of.map(([element, attributes]) => h(element, attributes))}
    </svg>
  )
}
