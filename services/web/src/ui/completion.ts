/** What is being typed that can be completed: everything from start to the caret. */
export type Typed = { readonly start: number; readonly query: string } & (
  | { readonly kind: 'person'; readonly silent: boolean }
  | { readonly kind: 'stream' | 'emoji' | 'command' | 'code' }
  | { readonly kind: 'topic'; readonly stream: string }
)

/** What may stand before a name (rest-api.md, section 7.5). */
const opening = String.raw`(?<=^|[\s'"(,:<])`
const person = new RegExp(opening + String.raw`@(_?)\*{0,2}((?:[^\s*@][^\n*@]{0,60})?)$`)
const topic = new RegExp(opening + String.raw`#(?:\*\*)?([^\s*#>][^\n*#>]{0,60})>([^\n*]{0,60})$`)
const stream = new RegExp(opening + String.raw`#(?:\*\*)?((?:[^\s*#>][^\n*#>]{0,60})?)$`)
const code = /^(?:`{3,}|~{3,})([a-z][\w+#-]{0,20})$/i
const emoji = /(?<![\w:]):([a-z0-9+_-]{2,40})$/i

/** Returns what is being typed before the caret; undefined: nothing that can be completed. */
export function typedAt(text: string, caret: number): Typed | undefined {
  const before = text.slice(0, caret)
  const begin = before.lastIndexOf('\n') + 1
  const line = before.slice(begin)
  const [, language] = code.exec(line) ?? []
  if (language !== undefined && !inCode(before.slice(0, begin))) {
    return { kind: 'code', start: caret - language.length, query: language }
  }
  if (inCode(before)) {
    return undefined
  }
  const command = /^\/([a-z]*)$/.exec(before)
  if (command !== null) {
    return { kind: 'command', start: 0, query: command[1] ?? '' }
  }
  const at = (found: RegExpExecArray) => before.length - found[0].length
  let found = person.exec(line)
  if (found !== null) {
    return { kind: 'person', start: at(found), query: found[2] ?? '', silent: found[1] === '_' }
  }
  found = topic.exec(line)
  if (found !== null) {
    return { kind: 'topic', start: at(found), query: found[2] ?? '', stream: found[1] ?? '' }
  }
  found = stream.exec(line)
  if (found !== null) {
    return { kind: 'stream', start: at(found), query: found[1] ?? '' }
  }
  found = emoji.exec(line)
  return found === null ? undefined : { kind: 'emoji', start: at(found), query: found[1] ?? '' }
}

/** Reports whether code is written at the end of a text, in which nothing has a meaning. Quotes and spoilers are no code. */
export function inCode(before: string): boolean {
  let fence: string | undefined
  const lines = before.split('\n')
  for (const line of lines.slice(0, -1)) {
    const [, marks, language] = /^(`{3,}|~{3,})\s*([\w-]*)/.exec(line) ?? []
    if (fence !== undefined && marks === fence && language === '') {
      fence = undefined
    } else if (fence === undefined && marks !== undefined && !/^(quote|quoted|spoiler)$/.test(language ?? '')) {
      fence = marks
    }
  }
  return fence !== undefined || ((lines.at(-1) ?? '').match(/`/g)?.length ?? 0) % 2 === 1
}

/** Something that can be offered. */
export interface Offer {
  /** By what it is found: what begins like the query, or has a word that does. The first is its name. */
  readonly names: readonly string[]
  /** The place among those that match as well, the lowest first. */
  readonly order: number
}

/** Returns those that match a query, the best first: by the beginning of a name, then by that of a word, each in their order. */
export function rank<T extends Offer>(offers: Iterable<T>, query: string, most: number): readonly T[] {
  const wanted = folded(query)
  const best: Ranked<T>[] = [] // of thousands that are looked at with each key, few are kept
  for (const offer of offers) {
    const names = offer.names.map(folded)
    const ranked = { offer, name: names[0] ?? '', score: Math.min(...names.map((name) => scoreOf(name, wanted))) }
    if (ranked.score === misses) {
      continue
    }
    let at = best.length
    while (at > 0 && compared(ranked, best[at - 1] as Ranked<T>) < 0) {
      at--
    }
    if (at < most) {
      best.splice(at, 0, ranked)
      best.splice(most)
    }
  }
  return best.map(({ offer }) => offer)
}

interface Ranked<T extends Offer> {
  readonly offer: T
  readonly name: string
  readonly score: number
}

/** Orders what was found. Names are compared without a collator, which takes too long for thousands. */
function compared(a: Ranked<Offer>, b: Ranked<Offer>): number {
  return a.score - b.score || a.offer.order - b.offer.order || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)
}

/** The score of what doesn't match. */
const misses = 2

function scoreOf(name: string, wanted: string): number {
  if (name.startsWith(wanted)) {
    return 0
  }
  for (let at = name.indexOf(wanted, 1); at > 0; at = name.indexOf(wanted, at + 1)) {
    if (!/[\p{L}\p{N}]/u.test(name[at - 1] ?? '')) {
      return 1
    }
  }
  return misses
}

/** Most names have neither accents nor letters that are written in several ways, and looking for these takes ten times as long. */
const ascii = /^[\0-\x7f]*$/

/** Returns a text without letter cases and accents, as people type names of others. */
export function folded(text: string): string {
  return ascii.test(text) ? text.toLowerCase() : text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
}
