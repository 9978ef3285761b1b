import type { State } from '../state/state'
import { text } from '../text/text'

/** Returns the names of people for a sentence that begins with them: first oneself, as "You". */
export function namesOf(state: State, people: readonly number[]): readonly string[] {
  const self = state.self.value
  return [...(people.includes(self) ? [text.you] : []), ...people.filter((id) => id !== self).map((id) => state.nameOf(id))]
}
