import { X } from 'lucide'
import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { text } from '../text/text'
import { composes } from './composing'
import { Icon } from './icon'
import { Notices, useNotices } from './notices'

interface Props {
  readonly title: string
  readonly class?: string
  /** It was closed, by whatever means. */
  readonly onClose: () => void
  readonly children: ComponentChildren
}

/** A screen over the others, which is there as long as the component is. The focus goes back to where it came from. */
export function Dialog({ title, class: name = '', onClose, children }: Props) {
  const { dialog, closed } = useModal(onClose)
  const heading = useId()
  useNotices(dialog)
  return (
    <dialog ref={dialog} class={name} aria-labelledby={heading} onClose={closed}>
      <header class="bar">
        <h2 id={heading}>{title}</h2>
        <button type="button" class="icon" aria-label={text.close} onClick={() => dialog.current?.close()}>
          <Icon of={X} />
        </button>
        <Notices dialog={dialog} />
      </header>
      {children}
    </dialog>
  )
}

/** Shows a dialog as long as the component is there. */
export function useModal(onClose: () => void) {
  const dialog = useRef<HTMLDialogElement>(null)
  const gone = useRef(false)
  useLayoutEffect(() => {
    const { current } = dialog
    const home = homeOf(document.activeElement)
    if (current !== null && !current.open) {
      current.showModal()
      if (current.querySelector('[autofocus]') === null) {
        current.querySelector<HTMLElement>(':scope > .form :is(input:not([hidden], [type=radio]:not(:checked)), select, textarea)')?.focus() // what is to be filled in, and not what closes it
      }
    }
    const leave = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !event.defaultPrevented && !composes(event) && event.target instanceof HTMLInputElement && event.target.type === 'search') {
        event.preventDefault() // browsers would empty the field first
        current?.close()
      }
    }
    current?.addEventListener('keydown', leave)
    return () => {
      current?.removeEventListener('keydown', leave)
      gone.current = true
      current?.close() // returns the focus
      restore(home)
    }
  }, [])
  const closed = (event: Event) => {
    if (event.target === dialog.current && !gone.current) { // and not one that is inside of it
      onClose()
    }
  }
  return { dialog, closed }
}

/** What gets the focus where the element that had it is gone by then: buttons of a message are there while it is pointed at. */
export function homeOf(element: Element | null): HTMLElement | null {
  return element?.closest<HTMLElement>('article[tabindex]') ?? main()
}

/** Gives the focus to the first of these elements that is there by then, unless something has it. */
export function restore(...homes: readonly (HTMLElement | null)[]): void {
  requestAnimationFrame(() => {
    if (document.activeElement === document.body || document.activeElement === null) {
      const top = topmost()
      ;(homes.find((home) => home?.checkVisibility() === true && top?.contains(home) !== false) ?? main())?.focus({ preventScroll: true })
    }
  })
}

/** What one is at by itself: the first control of a dialog that is open, or of the sidebar where that is over the rest, or else the messages, or settings. */
function main(): HTMLElement | null {
  const sidebar = document.querySelector<HTMLElement>('.menu-open .menu-close')
  return topmost()?.querySelector<HTMLElement>('input, button') ?? (sidebar?.checkVisibility() === true ? sidebar : document.querySelector('#messages, #settings'))
}

function topmost(): Element | undefined {
  return [...document.querySelectorAll('dialog[open]')].at(-1)
}
