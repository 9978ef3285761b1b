import { text } from '../text/text'

/** How long it is said that something was copied, in milliseconds. */
const shown = 2_000

/** Copies the code that a button belongs to, and says so on the button. */
export async function copyCode(button: HTMLElement): Promise<void> {
  const code = button.parentElement?.querySelector('pre')
  if (!code) {
    return
  }
  await copy(code)
  const name = button.getAttribute('aria-label') ?? ''
  button.classList.add('copied')
  button.setAttribute('aria-label', text.reading.copied)
  setTimeout(() => {
    button.classList.remove('copied')
    button.setAttribute('aria-label', name)
  }, shown)
}

/** Copies a text; where pages may not, as without HTTPS, as people do it. */
async function copy(code: HTMLElement): Promise<void> {
  try {
    await navigator.clipboard.writeText(code.textContent)
  } catch {
    getSelection()?.selectAllChildren(code)
    document.execCommand('copy')
  }
}
