import { bestOf } from '../text/languages'

/** Where the browser keeps the language of the last account, the best guess until an account says its own. */
const kept = 'chat/language'

/** Returns the code of the language of an account; undefined: that isn't known yet, and it is the one that its user probably wants. */
export function languageOf(own: string | undefined): string {
  return bestOf([own ?? last(), ...navigator.languages])
}

/** Keeps the language of an account for the next time that the page is opened. */
export function keepLanguage(own: string): void {
  try {
    localStorage.setItem(kept, own)
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
