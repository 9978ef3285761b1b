import type { ServerEvent } from '../api/schema'
import type { State } from '../state/state'

/** How often something is fetched at most. Where events come all the time, it is as good as it was at the last one. */
const most = 4

/**
 * Fetches what events of some types keep once it is known. It is fetched again if one of them came meanwhile: the answer may be older
 * than that, and nothing was there that it could have changed.
 */
export async function current<T>(state: State, types: readonly ServerEvent['type'][], fetch: () => Promise<T>): Promise<T> {
  const heard = () => types.reduce((sum, type) => sum + (state.heard.get(type) ?? 0), 0)
  for (let tries = 1; ; tries++) {
    const before = heard()
    const answer = await fetch()
    if (heard() === before || tries === most) {
      return answer
    }
  }
}
