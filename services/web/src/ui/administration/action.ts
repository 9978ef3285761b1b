import { useState } from 'preact/hooks'
import { reasonOf } from '../form/saving'

/** Something that a button does, which the server may refuse. */
export interface Action {
  readonly busy: boolean
  /** Why it was refused; empty: it wasn't. */
  readonly problem: string
  /** Does it, and returns whether that succeeded; it isn't done while it is under way. The button keeps the focus meanwhile, so it is aria-disabled. */
  run(what: () => Promise<unknown>): Promise<boolean>
}

/** Keeps what became of what a button does. */
export function useAction(): Action {
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState('')
  const run = async (what: () => Promise<unknown>) => {
    if (busy) {
      return false
    }
    setBusy(true)
    const refused = await what().then(() => '', reasonOf)
    setBusy(false)
    setProblem(refused)
    return refused === ''
  }
  return { busy, problem, run }
}
