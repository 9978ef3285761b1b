import { characters } from './content'
import { parse } from './trusted'

/** Returns what a message's HTML says in words, without what spoilers hide. */
export function plainOf(html: string): string {
  const from = parse(html)
  from.querySelectorAll('.spoiler-content').forEach((hidden) => hidden.remove())
  from.querySelectorAll('.katex').forEach((formula) => formula.replaceWith(formula.querySelector('annotation')?.textContent ?? ''))
  from.querySelectorAll('span.emoji').forEach((emoji) => {
    const code = [...emoji.classList].find((name) => name.startsWith('emoji-'))?.slice('emoji-'.length) ?? ''
    emoji.replaceWith(characters(code) || (emoji.textContent ?? ''))
  })
  from.querySelectorAll('img[alt]').forEach((picture) => picture.replaceWith(picture.getAttribute('alt') ?? ''))
  return (from.textContent ?? '').trim()
}
