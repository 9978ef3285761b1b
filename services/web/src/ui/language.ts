import { effect } from '@preact/signals'
import type { State } from '../state/state'
import { bestOf } from '../text/languages'
import { ready, speak, text } from '../text/text'

/** Where the browser keeps the language of the last account, the best guess until an account says its own. */
const kept = 'chat/language'

/** Speaks the language of the account, before that those of the browser's user. Returns what ends it. */
export function followLanguage(state: State): () => void {
  const ends = [
    effect(() => {
      const own = state.settings.value['default_language']
      if (typeof own === 'string') {
        keep(own)
      }
      void speak(bestOf([typeof own === 'string' ? own : last(), ...navigator.languages]))
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

function keep(language: string): void {
  try {
    localStorage.setItem(kept, language)
  } catch {
    // The storage is full, or forbidden.
  }
}

function last(): string {
  try {
    return localStorage.getItem(kept) ?? ''
  } catch {
    return ''
  }
}
