import { CallError } from '../api/request'
import { pauseAfter, type Backoff } from './backoff'

/** How often a call is made at most. */
const mostTries = 4

const backoff: Backoff = { first: 1_000, longest: 4_000 }

/**
 * Makes a call, and makes it again if the server limits its load, as it does while many passwords are checked: it hasn't begun then, and says
 * when it may be asked again. waits is called before each pause.
 */
export async function whileBusy<T>(make: () => Promise<T>, waits: () => void): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await make()
    } catch (error) {
      if (!(error instanceof CallError) || error.status !== 503 || error.wait === 0 || tries === mostTries) {
        throw error
      }
      waits()
      await new Promise((resolve) => setTimeout(resolve, pauseAfter(backoff, tries - 1, error.wait)))
    }
  }
}
