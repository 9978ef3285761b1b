import { useEffect, useRef, useState } from 'preact/hooks'
import { CallError } from '../../api/request'

/** What a field shows that saves itself. */
export interface Saving<T> {
  /** What was typed or chosen, and else what is known to be so. */
  readonly value: T
  /** Whether that isn't what is known to be so. */
  readonly changed: boolean
  readonly phase: 'idle' | 'saving' | 'saved'
  /** Why the last change was refused; empty: it wasn't. */
  readonly problem: string
  /** Shows a value that isn't saved yet; undefined: shows again what is known to be so. */
  type(value: T | undefined): void
  /** Saves a value. */
  save(value: T): Promise<void>
}

/**
 * Keeps what is typed or chosen until the value itself has changed: the event of the change does that. What was refused stays to be
 * mended where keep is set, and else the old value is shown again. Changes are saved one after the other.
 */
export function useSaving<T>(value: T, store: (value: T) => Promise<unknown>, keep: boolean): Saving<T> {
  const [draft, setDraft] = useState<{ readonly value: T }>()
  const [phase, setPhase] = useState<Saving<T>['phase']>('idle')
  const [problem, setProblem] = useState('')
  const known = useRef(value)
  const before = useRef<Promise<void>>(Promise.resolve())
  const last = useRef(0)
  known.current = value
  useEffect(() => {
    if (draft !== undefined && (phase === 'saved' || same(draft.value, value))) {
      setDraft(undefined)
      setProblem('') // it was saved, though the answer didn't come
    }
  }, [JSON.stringify(value)])

  const type = (typed: T | undefined) => {
    last.current++ // what is being saved no longer says what to show
    setDraft(typed === undefined ? undefined : { value: typed })
    setPhase('idle')
    setProblem('')
  }
  const save = async (wanted: T) => {
    type(wanted)
    setPhase('saving')
    const turn = last.current
    const from = known.current
    const stored = before.current.then(() => store(wanted))
    before.current = stored.then(
      () => {},
      () => {},
    )
    const refused = await stored.then(() => undefined, reasonOf)
    if (turn !== last.current) {
      return
    }
    const isSaved = refused === undefined || same(wanted, known.current) // the event may have come, though the answer didn't
    setPhase(isSaved ? 'saved' : 'idle')
    setProblem(isSaved ? '' : refused)
    if (isSaved ? !same(from, known.current) : !keep) {
      setDraft(undefined)
    }
  }
  const shown = draft === undefined ? value : draft.value
  return { value: shown, changed: !same(shown, value), phase, problem, type, save }
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

/** Returns why a call failed, in a sentence. */
export function reasonOf(error: unknown): string {
  if (error instanceof CallError) {
    return error.message
  }
  throw error
}
