import { effect } from '@preact/signals'
import type { State } from '../state/state'
import { keepLanguage, languageOf } from '../sync/language'
import { ready, speak, text } from '../text/text'

/** Speaks the language of the account, before that those of the browser's user. Returns what ends it. */
export function followLanguage(state: State): () => void {
  const ends = [
    effect(() => {
      const own = state.settings.value['default_language']
      const said = typeof own === 'string' ? own : undefined
      if (said !== undefined) {
        keepLanguage(said)
      }
      void speak(languageOf(said))
    }),
    effect(() => {
      if (ready.value) {
        document.documentElement.lang = text.locale
        document.documentElement.dir = text.direction
      }
    }),
  ]
  return () => ends.forEach((end) => end())
}
