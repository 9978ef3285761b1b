import { batch, effect, signal, useSignal, type ReadonlySignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useClient } from '../client'
import { isSearch, placeOfNarrow, sameNarrow, showsSent, streamOfNarrow } from '../state/narrow'
import type { View } from '../state/view'
import { text } from '../text/text'
import { oneColumn } from './column'
import { restore } from './dialog'
import { isField } from './focus'
import { menuOpen } from './frame'
import { headingOf, leastHeight } from './groups'
import { flying, opened, rushing, scrolledBy } from './later'
import { MessageRow } from './message'
import { NoStream, NothingFound, NothingIn, NothingYet } from './nothing'
import { PendingRow } from './pending'
import { peopleOpen } from './people/panel'
import { useRowFocus } from './rowfocus'
import { extent, headingOn, hold, isSeen, keepHeading, nearest, positionOf, seenIn, within } from './scroll'
import { ToEnd } from './toend'
import { after, around, before, idsIn, indexOf, most, step, type Range } from './window'

/** More messages are added when fewer pixels than these are left beyond the screen. */
const margin = 1_200
/** Messages that are more than these pixels beyond the screen are removed when others are added on the other side. */
const spare = 1_500
/** More messages are fetched when somebody scrolls towards an end with fewer messages than these. */
const ahead = 160
/** A list that is within these pixels of its end stays at it. */
const atEnd = 60
/** How long messages that one has left look like those of the place that is fetched, in milliseconds: less would flicker. */
const unsaid = 500
/** How far below the top of the list a message is put that somebody is led to, in pixels. */
export const leadingOffset = 96

/** One more message is added at a time for each of these pixels that the margin lacks, so that frames are about as long as each other. */
const perMessage = 150
/** So many messages are made in a frame at most while somebody rushes by. */
const rushed = 1
/** While somebody rushes by and fewer pixels than these are left, blank rows are added: each takes a tenth of the time. */
const outrun = 600
/** How many of these are added at a time at most, one for each of these pixels that the margin lacks. */
const blankStep = 20
const perBlank = 60
/** The messages of how many of these are made in a frame afterwards. */
const filled = 2

/** What is added where a margin is too small. */
interface Addition {
  readonly count: number
  /** Whether these are blank: they are of about the height of the messages, which come when there is time. */
  readonly blank: boolean
}

/** Returns what is added where so many pixels are left beyond the screen: few messages, so that the frame is short, unless they run out. */
function additionFor(left: number): Addition {
  const count = Math.min(step, Math.ceil((margin - left) / perMessage))
  if (!rushing.peek()) {
    return { count, blank: false }
  }
  return left < outrun ? { count: Math.min(blankStep, Math.ceil((margin - left) / perBlank)), blank: true } : { count: Math.min(rushed, count), blank: false }
}

/** The messages on screen. */
export function Feed() {
  const client = useClient()
  const view = client.view.value
  if (view?.ids.value !== undefined) {
    return <List key={view} view={view} />
  }
  return <NoList view={view} />
}

function NoList({ view }: { readonly view: View | undefined }) {
  const client = useClient()
  const { state } = client
  const problem = view?.problem.value ?? ''
  const isGone = view !== undefined && state.isGone(streamOfNarrow(view.narrow)) // nothing comes of trying again
  const feed = useRef<HTMLDivElement>(null)
  useHandover(feed)
  return (
    <div ref={feed} id="messages" class="feed empty" tabIndex={-1}>
      {isGone ? (
        <NoStream narrow={view.narrow} />
      ) : problem === '' ? (
        <p role="status">{text.loading}</p>
      ) : (
        <p role="alert">
          {problem} <button onClick={() => client.go(client.destination.peek())}>{text.tryAgain}</button>
        </p>
      )}
    </div>
  )
}

/** Has the focus that is among messages go to those, or to the settings, that come in their place. */
function useHandover(feed: { readonly current: HTMLElement | null }): void {
  useLayoutEffect(
    () => () => {
      if (feed.current?.contains(document.activeElement)) {
        restore()
      }
    },
    [],
  )
}

/** Whether something is over the messages: a dialog, or on a narrow screen the sidebar or the people. */
function isCovered(): boolean {
  return [...document.getElementsByTagName('dialog')].some((dialog) => dialog.open) || ((menuOpen.peek() || peopleOpen.peek()) && oneColumn.peek())
}

function heightOfList(list: HTMLElement): number {
  return list.scrollHeight + list.clientHeight
}

function List({ view }: { readonly view: View }) {
  const client = useClient()
  const { state } = client
  const list = useRef<HTMLDivElement>(null)
  useHandover(list)
  useRowFocus(list)
  useState(opened) // once, before its rows are made
  const direction = useRef<'up' | 'down' | 'none'>('none')
  const top = useRef(0)
  const counted = useRef(0) // pixels scrolled that keep() has counted before the list's event said so
  const height = useRef(0) // of the list and its window, when it was scrolled last
  const stays = useRef<Element | undefined>(undefined) // the heading that is kept on screen
  const frame = useRef<number | undefined>(undefined) // with which messages are added
  const isPainted = useRef(false) // that the list has been put to its place is no reason to add more before it is seen
  const ids = view.ids.value ?? []
  const ended = useSignal(view.position === undefined) // the list is at its end, and stays there
  const isLeft = !sameNarrow(view.narrow, client.destination.value.narrow)
  const place = placeOfNarrow(view.narrow, state.self.value)
  const heightOf = (id: number, before = 0) => {
    const message = state.message(id)?.peek()
    if (message === undefined) {
      return 0
    }
    const heading = headingOf(message, state.message(before)?.peek(), (m) => state.placeOf(m))
    return leastHeight(message, { ...heading, place: place === undefined && heading.place })
  }
  const opening = (ids: readonly number[]) => around(ids, view.position?.id, innerHeight, heightOf)
  const [range] = useState(() => signal(opening(ids)))
  const blank = useSignal<ReadonlySet<number>>(new Set()) // the messages whose rows are blank
  const following = ended.value && view.foundNewest.value
  const rows = idsIn(ids, following ? { first: range.value.first, last: ids.at(-1) ?? 0 } : range.value).slice(following ? -most : 0)
  const shown: Range = { first: rows[0] ?? 0, last: rows.at(-1) ?? 0 }
  const isOldest = shown.first === (ids[0] ?? 0)
  const isNewest = shown.last === (ids.at(-1) ?? 0)

  /** Keeps on the screen what it showed, whatever was added above it. Scrolling since the last scroll event is accounted for. */
  const keep = () => {
    const { current } = list
    if (current === null) {
      return
    }
    const scrolled = current.scrollTop - top.current
    if (ended.peek()) {
      if (scrolled < 0 && extent(current).below > 1) {
        return
      }
      view.position = undefined
    } else if (view.position !== undefined) {
      view.position = { ...view.position, offset: view.position.offset - scrolled }
    }
    counted.current += scrolled
    hold(current, view.position)
    top.current = current.scrollTop
    height.current = heightOfList(current)
    head()
  }

  /** Keeps the heading of the first message on screen there; none while somebody rushes: browsers draw what stays for itself. */
  const head = () => {
    const heading = list.current === null || rushing.peek() ? undefined : headingOn(list.current)
    keepHeading(heading, stays.current)
    stays.current = heading
  }

  /** Keeps on the screen what it showed after heights have changed that weren't known: pictures come late, and windows change. */
  const resized = () => {
    if (list.current !== null && heightOfList(list.current) !== height.current) {
      keep()
    }
  }

  /** Notes whether the list is at its end. */
  const settle = () => {
    const { current } = list
    const end = current !== null && isNewest && view.foundNewest.peek() && extent(current).below < atEnd
    if (ended.peek() && !end) {
      range.value = shown
    }
    if (end) {
      view.position = undefined
    }
    ended.value = end
  }

  /** Makes the messages of some blank rows, the nearest to the screen first. */
  const fill = (current: HTMLElement) => {
    if (blank.peek().size > 0 && !flying.peek()) {
      const made = new Set(nearest(current, (id) => blank.peek().has(id), filled))
      blank.value = new Set([...blank.peek()].filter((id) => made.size > 0 && !made.has(id))) // if none is in the page, none is blank
    }
  }

  /**
   * Adds some messages where the screen comes near the first or the last. What is added on one side may go on the other, so only the way
   * one goes counts.
   */
  const extend = () => {
    const { current } = list
    if (current === null) {
      return
    }
    const { above, below } = extent(current)
    const small = rows.length + step <= most
    let next = shown
    let isBlank = false
    if (above < margin && !isOldest && (direction.current !== 'down' || small)) {
      const more = additionFor(above)
      isBlank = more.blank
      next = before(ids, { first: next.first, last: Math.min(next.last, within(current, spare).last) }, more.count)
    }
    if (below < margin && !isNewest && (direction.current !== 'up' || small)) {
      const more = additionFor(below)
      isBlank ||= more.blank
      next = after(ids, { first: Math.max(next.first, within(current, spare).first), last: next.last }, more.count)
    }
    if (next !== shown) {
      const stay = idsIn(ids, next).filter((id) => (id >= shown.first && id <= shown.last ? blank.peek().has(id) : isBlank))
      batch(() => {
        range.value = next
        blank.value = new Set(stay)
      })
    }
    fill(current)
    if ((above < margin && isOldest) || (direction.current === 'up' && indexOf(ids, shown.first) < ahead)) {
      void client.history.older(view)
    }
    if ((below < margin && isNewest) || (direction.current === 'down' && ids.length - indexOf(ids, shown.last) <= ahead)) {
      void client.history.newer(view)
    }
  }
  /** Has the list stay where it is, and not at its end, when a long message or quote is unfolded there: it is read from where it was folded. */
  const unfold = ({ target }: Event) => {
    const { current } = list
    if (current !== null && ended.peek() && target instanceof Element && target.closest('.more') !== null) {
      view.position = positionOf(current)
      batch(() => {
        range.value = shown
        ended.value = false
      })
    }
  }
  const latest = useRef(extend)
  latest.current = extend
  const look = () => {
    const isHere = sameNarrow(view.narrow, client.destination.peek().narrow) // whoever leaves doesn't read any more
    if (list.current !== null && isHere && document.hasFocus() && document.visibilityState === 'visible' && !isCovered()) {
      client.reading.saw(view, seenIn(list.current, (id) => !blank.peek().has(id) && state.message(id)?.peek().flags.includes('read') === false))
    }
  }

  /** Has messages added with the next frame that is painted, and notes what is on screen, once in each. */
  const extendSoon = () => {
    frame.current ??= requestAnimationFrame(() => {
      frame.current = undefined
      latest.current()
      look()
      head() // the last, since the list has to be laid out for all others
    })
  }

  const scrolled = () => {
    const { current } = list
    if (current === null) {
      return
    }
    if (ended.peek()) {
      resized() // the browser says later that something has grown, which takes nobody away from the end
    }
    const moved = current.scrollTop - top.current + counted.current
    top.current = current.scrollTop
    counted.current = 0
    if (moved !== 0) {
      direction.current = moved < 0 ? 'up' : 'down'
      scrolledBy(moved)
    }
    view.position = positionOf(current)
    settle()
    if (isPainted.current) {
      extendSoon()
    }
  }

  const { value: led } = view.led
  const followed = useRef(led) // the list begins at the message that somebody was led to before it was made
  useLayoutEffect(() => {
    if (followed.current === led) {
      return
    }
    followed.current = led
    ended.value = view.position === undefined
    range.value = opening(view.ids.peek() ?? [])
    top.current = list.current?.scrollTop ?? 0
  }, [led])
  useLayoutEffect(() => (isLeft ? undefined : keep())) // the page isn't laid out once more for messages that go
  useEffect(() => {
    isPainted.current = true
    if (!ended.peek()) {
      settle() // the end may be on screen without any scrolling
    }
    extendSoon()
  })
  useEffect(() => effect(() => (rushing.value ? undefined : head())), [])
  useEffect(() => effect(() => (flying.value ? undefined : extendSoon())), [])

  const tabbed = useRef(false) // the last key was Tab
  useEffect(() => {
    const press = ({ key }: KeyboardEvent) => (tabbed.current = key === 'Tab')
    addEventListener('keydown', press, true)
    return () => removeEventListener('keydown', press, true)
  }, [])
  /** Has Tab lead to a message on screen: to browsers the first one in the page comes next, which may be screens away. */
  const enter = ({ target, relatedTarget: from }: FocusEvent) => {
    const { current } = list
    if (current === null || !tabbed.current || target === current || (from !== current && current.contains(from as Node | null))) {
      return
    }
    current.scrollTop = top.current
    if (!isSeen(current, target as Element)) {
      const selected = document.getElementById(`message-${view.selected.peek()}`)
      const to = selected !== null && isSeen(current, selected) ? view.selected.peek() : (view.position?.id ?? ids.at(-1))
      view.selected.value = to
      document.getElementById(`message-${to}`)?.focus({ preventScroll: true })
    }
  }
  useEffect(() => {
    const observer = new ResizeObserver(resized)
    const { current } = list
    if (current?.firstElementChild) {
      observer.observe(current)
      observer.observe(current.firstElementChild)
    }
    addEventListener('focus', look)
    addEventListener('focusin', look) // a dialog that closes returns the focus
    const ends = [client.reading.paused, menuOpen, peopleOpen].map((signal: ReadonlySignal<unknown>) => signal.subscribe(look))
    return () => {
      observer.disconnect()
      cancelAnimationFrame(frame.current ?? 0)
      ends.forEach((end) => end())
      removeEventListener('focus', look)
      removeEventListener('focusin', look)
    }
  }, [])

  const selected = view.selected.value
  const brought = useRef<number | undefined>(undefined) // the selected message once it was on screen: it isn't brought back after somebody scrolls away
  const isShown = selected !== undefined && selected >= shown.first && selected <= shown.last
  useLayoutEffect(() => { // before a key leads the focus elsewhere
    if (selected === undefined) {
      brought.current = undefined // whoever selects it again goes there again
    }
    if (selected === undefined || selected === brought.current) {
      return
    }
    const row = document.getElementById(`message-${selected}`)
    const inherited = selected === view.heir // the list stays where it is, and so does the focus unless it is lost
    view.heir = undefined
    if (isShown || inherited) {
      brought.current = selected
      if (inherited ? document.activeElement === document.body : !isField(document.activeElement)) { // a message may have been begun before this one was there
        row?.focus({ preventScroll: true })
      }
      if (!inherited) {
        row?.scrollIntoView({ block: 'nearest' })
      }
    } else if (ids.includes(selected)) {
      view.lead({ id: selected, offset: leadingOffset })
    }
  }, [selected, isShown])

  const fetches = useSignal(false) // for long enough to say so
  useEffect(() => {
    const timer = setTimeout(() => (fetches.value = isLeft), isLeft ? unsaid : 0)
    return () => clearTimeout(timer)
  }, [isLeft])

  const pending = client.outbox.pending.value.filter((p) => showsSent(view.narrow, p.place, state.self.value))
  const isEmpty = ids.length === 0 && pending.length === 0
  return (
    <div class={fetches.value ? 'feed-frame stale' : 'feed-frame'}>
      <p class="fetching" role="status">
        {fetches.value ? text.loading : ''}
      </p>
      <div ref={list} id="messages" class="feed" tabIndex={-1} onScroll={scrolled} onClickCapture={unfold} onFocusCapture={enter}>
        <section class={isEmpty ? 'feed-rows none' : 'feed-rows'} aria-label={text.messages} aria-busy={isLeft}>
          {isOldest ? <Beginning view={view} empty={isEmpty} /> : null}
          {rows.map((id, i) => {
            const message = state.message(id)
            if (message === undefined) {
              return null
            }
            if (blank.value.has(id) && id !== selected) {
              return <div key={`blank ${id}`} class="blank" data-message={id} aria-hidden="true" style={{ height: `${heightOf(id, rows[i - 1])}px` }} />
            }
            return (
              <MessageRow
                key={message.peek().local_id ?? id}
                message={message}
                before={state.message(rows[i - 1] ?? 0)}
                places={place === undefined}
                unread={id === view.firstUnread.value}
                selected={id === selected}
                view={view}
              />
            )
          })}
          {isNewest && view.foundNewest.value
            ? pending.map((p) => <PendingRow key={p.localID} pending={p} place={place === undefined} />)
            : null}
        </section>
      </div>
      {ended.value ? null : <ToEnd view={view} />}
    </div>
  )
}

function Beginning({ view, empty }: { readonly view: View; readonly empty: boolean }) {
  const { state } = useClient()
  if (view.problem.value !== '') {
    return (
      <p class="hint" role="alert">
        {view.problem.value}
      </p>
    )
  }
  if (!view.foundOldest.value) {
    return <p class="hint">{text.older}</p>
  }
  const search = isSearch(view.narrow) || (view.narrow.length > 1 && placeOfNarrow(view.narrow, state.self.value) === undefined)
  if (empty && search) {
    return <NothingFound narrow={view.narrow} />
  }
  if (empty && view.narrow.length === 0) {
    return <NothingYet />
  }
  return empty ? <NothingIn narrow={view.narrow} /> : <p class="hint">{text.beginning}</p>
}
