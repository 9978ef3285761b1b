import { text } from '../text/text'

interface Props {
  readonly count: number
  /** What the count is of, in words; undefined: of unread messages. */
  readonly says?: (count: number) => string
  /** Whether it wants attention. */
  readonly loud: boolean
}

/** How many there are of something, unless there are none. */
export function Count({ count, says = text.unread, loud }: Props) {
  return count === 0 ? null : (
    <span class={loud ? 'count loud' : 'count'} aria-label={says(count)} role="img">
      {count > 999 ? '999+' : count}
    </span>
  )
}
