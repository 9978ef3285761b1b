import { signal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useClient, type Client } from '../client'
import { contentOf } from '../html/content'
import type { Message } from '../state/model'
import { moment, text } from '../text/text'
import { copyCode } from './copycode'
import { emojiInWords } from './look'
import { isLong } from './measure'
import { showMentioned } from './people/shown'
import { pictureAt, show } from './pictures'
import { typeset } from './typeset'

/** The long messages that are shown as a whole. */
const unfolded = signal<ReadonlySet<number>>(new Set())

interface Props {
  /** The server's HTML. */
  readonly html: string
  /** The message that says it; undefined: it is none yet, and is shown as a whole. */
  readonly message?: Message
}

/** What a message says. */
export function Content({ html, message }: Props) {
  const client = useClient()
  const { state, connection } = client
  const box = useRef<HTMLDivElement>(null)
  const self = state.self.value
  const words = emojiInWords(state)
  const alerts = message?.flags.includes('has_alert_word') === true ? state.alerts.value : undefined
  useLayoutEffect(() => {
    const known = {
      self,
      alerts,
      inGroup: (group: number) => state.groups.peek().get(group)?.members.includes(self) ?? false,
      spoiler: text.spoiler,
      words,
      copy: text.reading.copyCode,
      table: text.reading.table,
      more: text.reading.more,
      time: moment,
    }
    box.current?.replaceChildren(contentOf(html, known))
    void typeset(box.current, connection)
  }, [html, self, words, alerts, text.locale])
  const long = useLong(box, html, message !== undefined)
  const id = message?.id ?? 0
  const open = unfolded.value.has(id)
  const folded = long && !open
  const toggle = () => {
    const now = new Set(unfolded.peek())
    if (!now.delete(id)) {
      now.add(id)
    }
    unfolded.value = now
  }
  return (
    <>
      <div ref={box} id={message && `said-${id}`} class={folded ? 'content folded' : 'content'} onClick={(event) => click(client, event)} onFocusCapture={(event) => (folded ? toggle() : unfoldQuote(event.target, 'blockquote'))} />
      {long ? (
        <button class="plain more" aria-expanded={open} onClick={toggle}>
          {open ? text.reading.less : text.reading.more}
        </button>
      ) : null}
    </>
  )
}

/** Reports whether a box is so high that it is folded. */
function useLong(box: RefObject<HTMLElement | null>, html: string, wanted: boolean): boolean {
  const [long, setLong] = useState(false)
  useLayoutEffect(() => {
    if (!wanted || html.length < shortest || box.current === null) {
      setLong(false)
      return undefined
    }
    return isLong(box.current, setLong)
  }, [html, wanted])
  return long
}

/** HTML that is shorter than this is never high, in characters. */
const shortest = 500

/** Shows the whole of the quote that an element is in, if it is also in the wanted part of it. */
function unfoldQuote(target: EventTarget | null | undefined, part: string): void {
  if (target instanceof Element && target.closest(part) !== null) {
    target.closest('.quote')?.classList.remove('folded')
  }
}

/** Does what a click in a message is for, other than following a link. */
function click(client: Client, event: MouseEvent): void {
  const target = event.target instanceof Element ? event.target : undefined
  if (target !== undefined && showMentioned(client, target)) {
    return
  }
  const copy = target?.closest<HTMLElement>('.copy-code')
  const picture = target === undefined ? undefined : pictureAt(target)
  unfoldQuote(target, '.more')
  if (copy) {
    void copyCode(copy)
  } else if (picture !== undefined && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
    event.preventDefault()
    show(client, picture)
  }
}
