import { composes } from './composing'
import { isField } from './focus'
import { onceRendered } from './rendered'

/** How many keys are held back at most, and for how long, in milliseconds: by then nobody knows any more what they were for. */
const most = 100
const longest = 5_000

/**
 * Keys that are pressed before what they are meant for is on screen. They are held back, so that they do nothing to what is still there, until
 * they are pressed where the focus is by then, or forgotten. A click, which leads elsewhere, has them forgotten, too.
 */
export class HeldKeys {
  private held: KeyboardEvent[] = []
  private readonly timer: ReturnType<typeof setTimeout>
  private readonly giveUp: () => void

  /** giveUp is called when Escape is pressed. */
  constructor(giveUp: () => void) {
    this.press = this.press.bind(this)
    this.forget = this.forget.bind(this)
    this.giveUp = giveUp
    this.timer = setTimeout(this.forget, longest)
    addEventListener('keydown', this.press, true)
    addEventListener('pointerdown', this.forget, true)
  }

  private press(event: KeyboardEvent): void {
    if (composes(event) || event.ctrlKey || event.metaKey || event.altKey) {
      return // it isn't for the page
    }
    event.preventDefault()
    event.stopImmediatePropagation()
    if (event.key === 'Escape') {
      this.forget()
      this.giveUp()
    } else if (this.held.length < most) {
      this.held.push(event)
    }
  }

  /** Lets keys do again what they do, without those that were held back. */
  forget(): void {
    this.held = []
    clearTimeout(this.timer)
    removeEventListener('keydown', this.press, true)
    removeEventListener('pointerdown', this.forget, true)
  }

  /** Presses the keys that were held back, each once what the one before changes is rendered. */
  release(): void {
    const { held } = this
    this.forget()
    const next = () => {
      const event = held.shift()
      if (event !== undefined) {
        repeat(event)
        onceRendered(next)
      }
    }
    next()
  }
}

/** Does what a key does where the focus is. A script can't have the browser do its part, so that this does what it does in fields, and with buttons and links. */
function repeat(event: KeyboardEvent): void {
  const at = document.activeElement ?? document.body
  if (!at.dispatchEvent(new KeyboardEvent('keydown', event))) {
    return
  }
  if (at instanceof HTMLElement && (event.key === 'Enter' ? at.matches('a, button') : event.key === ' ' && at.matches('button'))) {
    at.click()
  } else if (event.key === 'Tab') {
    const to = nextTo(at, event.shiftKey ? -1 : 1)
    to?.focus()
    if (to instanceof HTMLInputElement) {
      to.select()
    }
  } else if (at instanceof HTMLInputElement && event.key === 'Enter') {
    at.form?.requestSubmit()
  } else if (!isField(at)) {
    return
  } else if (event.key === 'Backspace') {
    document.execCommand('delete')
  } else if (event.key === 'Enter') {
    document.execCommand('insertText', false, '\n')
  } else if (event.key.length === 1) {
    document.execCommand('insertText', false, event.key)
  }
}

/** Returns where Tab leads from an element, or with Shift, which is by -1. */
function nextTo(from: Element, by: number): HTMLElement | undefined {
  const controls = [...(from.closest('dialog') ?? document).querySelectorAll<HTMLElement>('a[href], button, input:not([type=radio]:not(:checked)), select, textarea, [tabindex]')]
  const stops = controls.filter((one) => one === from || (one.tabIndex >= 0 && !one.matches(':disabled') && one.checkVisibility({ visibilityProperty: true })))
  return stops.at((stops.indexOf(from as HTMLElement) + by) % stops.length)
}
