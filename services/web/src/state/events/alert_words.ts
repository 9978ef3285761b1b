import type { AlertWordsEvent } from '../../api/schema'
import type { State } from '../state'

/** The words changed of which the account wants to hear. */
export function alertWords(state: State, event: AlertWordsEvent): void {
  state.alertWords.value = event.alert_words
}
