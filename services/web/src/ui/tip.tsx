import { signal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { clamped } from './place'

/** After how long what is pointed at is explained, and a finger counts as one that stays, in milliseconds. */
const after = 500
/** How long the way from an element to what is said of it may take, in milliseconds. */
const away = 200

interface Shown {
  readonly at: HTMLElement
  readonly words: string
}

/** What is said; undefined: nothing. */
const shown = signal<Shown | undefined>(undefined)

let timer: ReturnType<typeof setTimeout> | undefined
let held = false // a finger stayed, and its click means nothing more

function soon(change: Shown | undefined, delay: number): void {
  clearTimeout(timer)
  timer = setTimeout(() => (shown.value = change), delay)
}

function hide(): void {
  clearTimeout(timer)
  shown.value = undefined
}

/** Returns what has a button explained while it is pointed at, has the focus by a key, or a finger stays on it; a click does something else. */
export function explained(words: string, click: () => void) {
  return {
    onPointerEnter: ({ pointerType, currentTarget: at }: PointerEvent & { readonly currentTarget: HTMLElement }) => (pointerType === 'mouse' ? soon({ at, words }, after) : undefined),
    onPointerLeave: ({ pointerType }: PointerEvent) => (pointerType === 'mouse' ? soon(undefined, away) : undefined),
    onPointerDown: ({ pointerType, currentTarget: at }: PointerEvent & { readonly currentTarget: HTMLElement }) => {
      held = false
      if (pointerType !== 'mouse') {
        clearTimeout(timer)
        timer = setTimeout(() => {
          held = true
          shown.value = { at, words }
        }, after)
      }
    },
    onPointerUp: () => (held ? undefined : clearTimeout(timer)),
    onPointerCancel: () => (held ? undefined : clearTimeout(timer)),
    onContextMenu: (event: MouseEvent) => (held ? event.preventDefault() : undefined),
    onFocus: ({ currentTarget: at }: FocusEvent & { readonly currentTarget: HTMLElement }) => (at.matches(':focus-visible') ? soon({ at, words }, 0) : undefined),
    onBlur: hide,
    onClick: () => {
      if (!held) {
        hide()
        click()
      }
      held = false
    },
  }
}

/** What is said of something, to those who see it: others hear it as its name. The page has it once. Escape, another touch and scrolling end it. */
export function Tip() {
  return shown.value === undefined ? null : <Box {...shown.value} />
}

function Box({ at, words }: Shown) {
  const box = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const { current } = box
    if (current !== null) {
      const { left, top } = clamped(at.getBoundingClientRect(), current.getBoundingClientRect(), { width: innerWidth, height: innerHeight, rtl: getComputedStyle(at).direction === 'rtl' })
      current.style.left = `${left}px`
      current.style.top = `${top}px`
    }
  }, [at, words])
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key === 'Escape') {
        event.stopPropagation()
        event.preventDefault()
        hide()
      }
    }
    const touch = (event: PointerEvent) => (event.target instanceof Node && at.contains(event.target) ? undefined : hide())
    addEventListener('keydown', press, { capture: true })
    addEventListener('pointerdown', touch, { capture: true })
    addEventListener('scroll', hide, { capture: true })
    return () => {
      removeEventListener('keydown', press, { capture: true })
      removeEventListener('pointerdown', touch, { capture: true })
      removeEventListener('scroll', hide, { capture: true })
    }
  }, [at])
  return (
    <div ref={box} class="tip" aria-hidden="true" onPointerEnter={() => clearTimeout(timer)} onPointerLeave={() => soon(undefined, away)}>
      {words}
    </div>
  )
}
