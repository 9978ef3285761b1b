import type { ReadonlySignal } from '@preact/signals'
import type { Connection } from '../sync/connection'

type Typesetter = typeof import('../html/math')

/** How long formulas are made in a frame at most, in milliseconds: those that are left come in the next ones. */
const portion = 8

/** The TeX that is not typeset yet, in the order in which it came. */
const waiting: HTMLElement[] = []
/** The formulas that were made since the frame began. */
let made: HTMLElement[] = []
let spent = 0 // of the frame, in milliseconds
let counting = false

/** Typesets the TeX in a box, which takes what is loaded when there is some. Until that is there, TeX stays as it was written. */
export async function typeset(box: HTMLElement | null, connection: Connection): Promise<void> {
  const sources = [...(box?.querySelectorAll<HTMLElement>('code.math') ?? [])]
  if (sources.length > 0) {
    const math = await loadMath(connection)
    waiting.push(...sources)
    work(math)
  }
}

/** Makes formulas for as long as the frame has time, and the others in the next one: the list holds its place after each frame. */
function work(math: Typesetter): void {
  const began = performance.now()
  const left = portion - spent
  for (let now = began; waiting.length > 0 && now - began < left; now = performance.now()) {
    replace(waiting.shift(), math)
  }
  spent += performance.now() - began
  if (!counting) {
    counting = true
    requestAnimationFrame(() => {
      counting = false
      spent = 0
      made.filter(isWide).forEach((formula) => (formula.tabIndex = 0)) // by keys it can be scrolled
      made = []
      if (waiting.length > 0) {
        work(math)
      }
    })
  }
}

/** Puts a formula in the place of its TeX, unless that is no longer in the page. */
function replace(source: HTMLElement | undefined, math: Typesetter): void {
  if (source?.isConnected !== true) {
    return
  }
  const tex = source.textContent
  const display = source.classList.contains('display')
  const inside = math.typeset(tex, display)
  if (inside !== undefined) {
    const formula = document.createElement('span')
    formula.className = display ? 'formula display' : 'formula'
    formula.title = tex
    formula.append(inside)
    source.replaceWith(formula)
    made.push(formula)
  }
}

/** Reports whether a formula has more than it shows. */
function isWide(formula: HTMLElement): boolean {
  return formula.scrollWidth > formula.clientWidth || formula.scrollHeight > formula.clientHeight
}

/** Loads what typesets: where that fails, again whenever the server is back. */
async function loadMath({ opened }: Connection): Promise<Typesetter> {
  for (;;) {
    const before = opened.peek()
    try {
      return await import('../html/math')
    } catch {
      await changeFrom(opened, before)
    }
  }
}

/** Returns once a signal has another value. */
async function changeFrom<Value>(one: ReadonlySignal<Value>, value: Value): Promise<void> {
  let end = () => {}
  await new Promise<void>((resolve) => {
    end = one.subscribe((now) => (now === value ? undefined : resolve()))
  })
  end()
}
