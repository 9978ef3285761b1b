import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { keyOf, type Place } from '../state/conversation'
import { homeOf, restore } from './dialog'
import { useMoved } from './moved'
import { clamped } from './place'
import { onceRendered } from './rendered'
import { Typeahead } from './typeahead'

/** What one can choose in a menu: a link, or something to do. */
export interface Item {
  readonly name: string
  readonly href?: string
  readonly does?: () => void
  /** The key that does the same. */
  readonly key?: string | undefined
  /** Whether it is on, for what can be switched. */
  readonly checked?: boolean
  /** Whether it destroys something. */
  readonly danger?: boolean
  /** Whether another group of entries begins here. */
  readonly apart?: boolean
}

interface Shown {
  /** How many menus there were before. */
  readonly number: number
  readonly label: string
  /** The element that it is for. */
  readonly at: HTMLElement
  readonly items: readonly Item[]
  /** What all of it is about; undefined: nothing that can be moved. */
  readonly place: Place | undefined
}

/** The menu on screen; undefined: none. */
const shown = signal<Shown | undefined>(undefined)

let count = 0

/** Shows a menu at an element. */
export function showMenu(at: HTMLElement, label: string, items: readonly Item[], place?: Place): void {
  shown.value = items.length === 0 ? undefined : { number: ++count, at, label, items, place }
}

interface ButtonProps {
  readonly id?: string
  /** What the button and its menu are called; undefined: what is written on it. */
  readonly label?: string
  readonly class?: string
  readonly tabIndex?: number
  /** The entries as of when it opens. */
  readonly items: () => readonly Item[]
  readonly place?: Place
  readonly children: ComponentChildren
}

/** A button that opens a menu. */
export function MenuButton({ id, label, class: name = 'icon', tabIndex = 0, items, place, children }: ButtonProps) {
  const button = useRef<HTMLButtonElement>(null)
  const closes = useRef(false) // the browser closes the menu before the click that was to close it
  const open = () => (button.current === null ? undefined : showMenu(button.current, label ?? button.current.textContent, items(), place))
  return (
    <button
      ref={button}
      id={id}
      type="button"
      class={name}
      tabIndex={tabIndex}
      aria-label={label}
      title={label}
      aria-haspopup="menu"
      aria-expanded={shown.value !== undefined && shown.value.at === button.current}
      onPointerDown={() => (closes.current = shown.peek()?.at === button.current)}
      onClick={() => {
        if (!closes.current) {
          open()
        }
        closes.current = false
      }}
      onKeyDown={(event) => {
        if (event.key === 'ArrowDown') {
          event.preventDefault()
          open()
        }
      }}
    >
      {children}
    </button>
  )
}

/** The menu that is open; the page has it once, so that it stays when its button goes away with the pointer. */
export function Menu() {
  const menu = shown.value
  return menu === undefined ? null : (
    <section aria-label={menu.label}>
      <List key={menu.number} menu={menu} />
    </section>
  )
}

function List({ menu: { at, label, items, place } }: { readonly menu: Shown }) {
  const box = useRef<HTMLDivElement>(null)
  const entries = () => [...(box.current?.querySelectorAll<HTMLElement>('[role^=menuitem]') ?? [])]
  const ahead = useRef(new Typeahead())
  const close = () => {
    if (shown.peek()?.at === at) {
      shown.value = undefined
    }
  }
  useMoved((from) => (place !== undefined && keyOf(from) === keyOf(place) ? close() : undefined)) // it would be about another topic
  useLayoutEffect(() => {
    const { current } = box
    const { activeElement: had } = document
    const from = had instanceof HTMLElement && had !== document.body ? had : at // a key may open it from elsewhere
    const home = homeOf(at)
    if (current !== null) {
      current.showPopover()
      const { left, top } = clamped(at.getBoundingClientRect(), current.getBoundingClientRect(), { width: innerWidth, height: innerHeight, rtl: getComputedStyle(at).direction === 'rtl' })
      current.style.left = `${left}px`
      current.style.top = `${top}px`
      entries()[0]?.focus({ preventScroll: true })
    }
    return () => {
      if (current?.contains(document.activeElement)) {
        (from.isConnected ? from : home)?.focus({ preventScroll: true })
      }
      restore(from, at, home)
    }
  }, [])
  const press = (event: KeyboardEvent) => {
    const all = entries()
    const now = all.indexOf(document.activeElement as HTMLElement)
    const to = moved(event.key, now, all.length)
    if (to !== undefined) {
      all[to]?.focus()
    } else if (event.key === 'Escape' || event.key === 'Tab') {
      close()
    } else if (event.key.length === 1 && (event.key !== ' ' || ahead.current.goesOn(event.timeStamp)) && !event.ctrlKey && !event.metaKey && !event.altKey) {
      all[ahead.current.find(event.key, event.timeStamp, all.map((entry) => entry.textContent), now)]?.focus()
    } else {
      return
    }
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <div ref={box} class="menu" popover="auto" role="menu" aria-label={label} onKeyDown={press} onToggle={(event) => (event.newState === 'closed' ? close() : undefined)}>
      {items.map((item) => (
        <Entry key={`${item.name} ${item.href}`} item={item} close={close} />
      ))}
    </div>
  )
}

function Entry({ item, close }: { readonly item: Item; readonly close: () => void }) {
  const classes = `${item.danger ? 'danger' : ''} ${item.apart ? 'apart' : ''}`
  if (item.href !== undefined) {
    return (
      <a class={classes} role="menuitem" tabIndex={-1} href={item.href} onClick={() => setTimeout(close)}>
        <span>{item.name}</span>
        {item.key === undefined ? null : <kbd aria-hidden="true">{item.key}</kbd>}
      </a>
    )
  }
  const choose = () => {
    close()
    if (item.does !== undefined) {
      onceRendered(item.does) // the focus is where it was by then, so that what opens now gives it back there
    }
  }
  return (
    <button type="button" class={classes} role={item.checked === undefined ? 'menuitem' : 'menuitemcheckbox'} aria-checked={item.checked} tabIndex={-1} onClick={choose}>
      <span>{item.name}</span>
      {item.checked ? <span aria-hidden="true">✓</span> : item.key === undefined ? null : <kbd aria-hidden="true">{item.key}</kbd>}
    </button>
  )
}

/** Where a key leads among so many entries; undefined: nowhere. */
function moved(key: string, from: number, count: number): number | undefined {
  switch (key) {
    case 'ArrowDown':
      return (from + 1) % count
    case 'ArrowUp':
      return (Math.max(0, from) + count - 1) % count
    case 'Home':
      return 0
    case 'End':
      return count - 1
    default:
      return undefined
  }
}
