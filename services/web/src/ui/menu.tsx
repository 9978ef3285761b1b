import type { ComponentChildren } from 'preact'
import { useId, useRef, useState } from 'preact/hooks'

/** What one can choose in a menu: a link, or something to do. */
export interface Item {
  readonly name: string
  readonly href?: string
  readonly does?: () => void
}

/** A button that opens a menu. Its items are reached by arrows, Home and End; Escape closes it. */
export function Menu({ id, items, children }: { readonly id: string; readonly items: readonly Item[]; readonly children: ComponentChildren }) {
  const list = useRef<HTMLDivElement>(null)
  const [open, setOpen] = useState(false)
  const menu = useId()
  const all = () => [...(list.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])]
  const press = (event: KeyboardEvent) => {
    const entries = all()
    const at = entries.findIndex((entry) => entry === document.activeElement)
    const to = { ArrowDown: (at + 1) % entries.length, ArrowUp: (at - 1 + entries.length) % entries.length, Home: 0, End: entries.length - 1 }[event.key]
    if (to !== undefined) {
      event.preventDefault()
      entries[to]?.focus()
    } else if (event.key === 'Tab') {
      list.current?.hidePopover()
    }
  }
  return (
    <>
      <button
        id={id}
        class="menu-opener plain"
        aria-haspopup="menu"
        aria-expanded={open}
        popovertarget={menu}
      >
        {children}
      </button>
      <div
        ref={list}
        id={menu}
        class="menu"
        popover="auto"
        role="menu"
        aria-labelledby={id}
        onKeyDown={press}
        onToggle={(event) => {
          const opened = event.newState === 'open'
          setOpen(opened)
          if (opened) {
            all()[0]?.focus()
          }
        }}
      >
        {items.map(({ name, href, does }) =>
          href === undefined ? (
            <button key={name} role="menuitem" tabIndex={-1} onClick={() => (list.current?.hidePopover(), does?.())}>
              {name}
            </button>
          ) : (
            <a key={name} role="menuitem" tabIndex={-1} href={href} onClick={() => list.current?.hidePopover()}>
              {name}
            </a>
          ),
        )}
      </div>
    </>
  )
}
