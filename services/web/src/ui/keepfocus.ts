/**
 * Where the focus is in a list, or in buttons side by side: in which of the items, and at which of the item's controls; in a form that stands in the
 * item's place, at the one that opened it.
 */
interface Spot {
  readonly list: Element
  readonly item: Element
  readonly at: number
  readonly control: number
}

/**
 * Has lists in settings and in dialogs keep the focus until the function that it returns is called. Who removes an item by keys goes on at the next
 * one, who opens a form in the place of an item writes into it, and who closes it is back at the item.
 */
export function keepFocus(): () => void {
  let spot: Spot | undefined
  const openers = new WeakMap<Element, number>() // of each item, the control that had the focus last
  const changed = new MutationObserver(() => {
    if (spot !== undefined && lost()) {
      targetOf(spot)?.focus()
    }
  })
  const note = (event: FocusEvent) => {
    const element = event.target as Element
    const around = element.closest(':is(.settings-page, dialog)')
    const item = around === null ? null : (element.closest('li') ?? element.closest('.field-buttons > *'))
    const list = item?.parentElement
    if (list !== spot?.list) {
      changed.disconnect()
    }
    if (item === null || list === null || list === undefined) {
      spot = undefined
      return
    }
    if (list !== spot?.list) {
      changed.observe(list, { childList: true, subtree: true })
    }
    const at = itemsOf(list).indexOf(item)
    const control = element.closest('form') === null ? controlsOf(item).indexOf(element) : (openers.get(item) ?? 0)
    openers.set(item, control)
    spot = { list, item, at, control }
  }
  const leave = (event: FocusEvent) => {
    const element = event.target as Element
    queueMicrotask(() => {
      if (element.isConnected && document.hasFocus() && lost()) { // a click beside everything, and not a removed element
        spot = undefined
      }
    })
  }
  document.addEventListener('focusin', note)
  document.addEventListener('focusout', leave)
  return () => {
    changed.disconnect()
    document.removeEventListener('focusin', note)
    document.removeEventListener('focusout', leave)
  }
}

/** Reports whether nothing has the focus. */
function lost(): boolean {
  return document.activeElement === null || document.activeElement === document.body
}

/** Where the focus goes on: at the item, or at that in its place; in an empty list at what is around it. */
function targetOf({ list, item, at, control }: Spot): HTMLElement | null {
  const items = itemsOf(list)
  const now = item.isConnected ? item : (items[at] ?? items.at(-1))
  if (now === undefined) {
    return list.closest('dialog')?.querySelector<HTMLElement>('input, button') ?? document.getElementById('settings')
  }
  const controls = controlsOf(now)
  return now.querySelector<HTMLElement>('form :is(input, select, textarea)') ?? (controls[Math.min(Math.max(control, 0), controls.length - 1)] as HTMLElement | undefined) ?? null
}

function itemsOf(list: Element): Element[] {
  return [...list.children].filter((one) => !one.hasAttribute('hidden'))
}

function controlsOf(item: Element): Element[] {
  const controls = 'a[href], button, input, select, textarea'
  return item.matches(controls) ? [item] : [...item.querySelectorAll(controls)]
}
