import { useState } from 'preact/hooks'
import { folded } from '../completion'

/** How many suggestions there are at most. */
const most = 20

/** Returns the first of some values that have what is typed in their names: of thousands, a browser's list would show no end. */
export function offered<T>(all: readonly T[], nameOf: (one: T) => string, typed: string): readonly T[] {
  const wanted = folded(typed.trim())
  const found: T[] = []
  for (const one of all) {
    if (found.length === most) {
      break
    }
    if (folded(nameOf(one)).includes(wanted)) {
      found.push(one)
    }
  }
  return found
}

/** Something that can be chosen. */
export interface Choosable {
  readonly id: number
  readonly name: string
  /** Those that are chosen together by this name; undefined: it stands for itself. */
  readonly members?: readonly number[]
}

/** What is typed of the name of one that can be chosen. It is added once the name is whole, or once it is taken by a key. */
export function useTyped(left: readonly Choosable[], add: (one: Choosable) => void) {
  const [entered, setTyped] = useState<string>()
  const typed = entered ?? ''
  const nameOf = (one: Choosable) => one.name
  const wanted = folded(typed.trim())
  const matching = offered(left, nameOf, typed)
  const first = wanted === '' ? undefined : (called(left, nameOf, typed) ?? matching[0])
  const forget = () => setTyped(undefined)
  const take = (one: Choosable) => {
    forget()
    add(one)
  }
  const input = (event: InputEvent & { readonly currentTarget: HTMLInputElement }) => {
    const { value } = event.currentTarget
    const found = named(left, nameOf, value, isListed(event))
    if (found === undefined) {
      setTyped(value)
    } else {
      take(found)
    }
  }
  return { typed, isTyping: entered !== undefined, matching, first, take, forget, input }
}

/** Returns the one that was chosen from a field's list, or whose whole name was typed; undefined: there is none, or it may yet become a longer name. */
export function named<T>(all: readonly T[], nameOf: (one: T) => string, typed: string, listed: boolean): T | undefined {
  const small = typed.toLowerCase()
  const mayBecomeLonger = all.some((one) => nameOf(one).length > typed.length && nameOf(one).toLowerCase().startsWith(small))
  return !listed && mayBecomeLonger ? undefined : called(all, nameOf, typed)
}

/** Reports whether a field was filled from its list. */
function isListed(event: Event): boolean {
  return !(event instanceof InputEvent) || event.inputType === 'insertReplacementText'
}

/** Returns the one with a name; if none is written like that, one whose name has the same letters, small or capital. */
export function called<T>(all: readonly T[], nameOf: (one: T) => string, name: string): T | undefined {
  return all.find((one) => nameOf(one) === name) ?? all.find((one) => nameOf(one).toLowerCase() === name.toLowerCase())
}
