/** What the toolbar does with a selection. */
export type Format = 'bold' | 'italic' | 'code' | 'link' | 'quote' | 'list' | 'spoiler' | 'math' | 'time' | 'poll' | 'todo'

/** A change of a text: what replaces the part from start to end, and what is selected then. */
export interface Change {
  readonly start: number
  readonly end: number
  readonly text: string
  readonly selectStart: number
  readonly selectEnd: number
}

/** What the formats begin with that make something else of the whole message, which the server knows at its beginning alone. */
const command = /^\/(?:poll|todo)\s/

/** Returns what a format does with the part of a text from start to end, or with the caret there; now is the time that it is. */
export function formatted(format: Format, text: string, start: number, end: number, now: Date): Change {
  const chosen = text.slice(start, end)
  switch (format) {
    case 'bold':
      return around(text, start, end, '**')
    case 'italic':
      return around(text, start, end, '*')
    case 'code':
      return chosen.includes('\n') ? fenced(text, start, end, '') : around(text, start, end, '`')
    case 'link': {
      const change = `[${chosen}](https://)`
      const from = start + (chosen === '' ? 1 : chosen.length + 3)
      return { start, end, text: change, selectStart: from, selectEnd: chosen === '' ? from : start + change.length - 1 }
    }
    case 'quote':
      return lines(text, start, end, '> ')
    case 'list':
      return lines(text, start, end, '* ')
    case 'spoiler':
      return fenced(text, start, end, 'spoiler ')
    case 'math':
      return around(text, start, end, '$$')
    case 'time': {
      const time = chosen === '' ? timeOf(now) : chosen
      const from = start + '<time:'.length
      return { start, end, text: `<time:${time}>`, selectStart: from, selectEnd: from + time.length }
    }
    case 'poll':
    case 'todo': {
      const before = command.exec(text)?.[0].length ?? 0
      const begins = `/${format} `
      const by = begins.length - before
      return { start: 0, end: before, text: begins, selectStart: Math.max(begins.length, start + by), selectEnd: Math.max(begins.length, end + by) }
    }
  }
}

/** Returns a time with its distance from UTC, as others read it in their zone. */
function timeOf(time: Date): string {
  const two = (count: number) => String(Math.floor(count)).padStart(2, '0')
  const east = -time.getTimezoneOffset()
  const zone = `${east < 0 ? '-' : '+'}${two(Math.abs(east) / 60)}:${two(Math.abs(east) % 60)}`
  return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}T${two(time.getHours())}:${two(time.getMinutes())}${zone}`
}

/** An address, and nothing else. */
const address = /^https?:\/\/\S+$/

/** Returns what pasting an address over a part of a text makes of that part: a link; undefined: it takes the part's place. */
export function linked(part: string, pasted: string): string | undefined {
  const to = pasted.trim()
  if (part.trim() === '' || /[\n[\]]/.test(part) || address.test(part.trim()) || !address.test(to)) {
    return undefined
  }
  return `[${part}](${to.replaceAll('(', '%28').replaceAll(')', '%29')})`
}

/** The sign of an entry in a list, or of a quote, and what follows it in the line. */
const entry = /^( *)(?:([*+-])|(\d{1,6})([.)])|(>)) +(.*)$/

/** Returns what a new line at the caret begins with in a list or a quote: another entry, or, after an empty one, none; undefined: it isn't in any. */
export function continued(text: string, caret: number): Change | undefined {
  const from = text.lastIndexOf('\n', caret - 1) + 1
  const [whole, indent = '', sign, number, point = '', quote, rest = ''] = entry.exec(text.slice(from, caret)) ?? []
  if (whole === undefined) {
    return undefined
  }
  const isEmpty = rest.trim() === '' && /^\s*$/.test(text.slice(caret).split('\n')[0] ?? '')
  const next = `\n${indent}${sign ?? quote ?? `${Number(number) + 1}${point}`} `
  return isEmpty ? { start: from, end: caret, text: '', selectStart: from, selectEnd: from } : { start: caret, end: caret, text: next, selectStart: caret + next.length, selectEnd: caret + next.length }
}

/** The beginning of an entry of a list, and the entry above it. */
const beginning = /^( *)([*+-]|\d{1,6}[.)]) +$/
const above = /(?:^|\n)( *)(?:[*+-]|\d{1,6}[.)]) [^\n]*\n$/

/**
 * Returns what makes the entry of a list that begins at the caret one below the entry above, or takes it back; undefined: nothing does. An entry
 * that is as deep as it can be leaves the key to those who go to the next field by it.
 */
export function indented(text: string, caret: number, back: boolean): Change | undefined {
  const from = text.lastIndexOf('\n', caret - 1) + 1
  const [whole, indent = '', sign = ''] = beginning.exec(text.slice(from, caret)) ?? []
  const most = above.exec(text.slice(0, from))?.[1]?.length ?? -1
  if (whole === undefined || (back ? indent.length < 2 : indent.length > most)) {
    return undefined
  }
  const now = back ? `${indent.slice(2)}${sign} ` : `  ${indent}${sign.replace(/\d+/, '1')} `
  return { start: from, end: caret, text: now, selectStart: from + now.length, selectEnd: from + now.length }
}

/** Puts marks around a part, or takes them away. Blanks at its edges stay outside, where the server wants them. */
function around(text: string, start: number, end: number, mark: string): Change {
  const chosen = text.slice(start, end)
  const from = start + (chosen.length - chosen.trimStart().length) * (chosen.trim() === '' ? 0 : 1)
  const to = chosen.trim() === '' ? end : from + chosen.trim().length
  const inner = text.slice(from, to)
  if (marks(text, from, -1, mark) && marks(text, to, 1, mark)) {
    return { start: from - mark.length, end: to + mark.length, text: inner, selectStart: from - mark.length, selectEnd: to - mark.length }
  }
  return { start: from, end: to, text: mark + inner + mark, selectStart: from + mark.length, selectEnd: to + mark.length }
}

/** Reports whether a mark is on a side of a place: of stars, two are bold, one is italic, and three are both. */
function marks(text: string, at: number, side: 1 | -1, mark: string): boolean {
  const sign = mark[0] ?? ''
  let count = 0
  while (text[side > 0 ? at + count : at - 1 - count] === sign && count < 4) {
    count++
  }
  return count === mark.length || (sign === '*' && count === 3)
}

/** Puts a mark before each line of a part, or takes it away where all have it. */
function lines(text: string, start: number, end: number, mark: string): Change {
  const from = text.lastIndexOf('\n', start - 1) + 1
  const next = text.indexOf('\n', end)
  const to = next < 0 ? text.length : next
  const all = text.slice(from, to).split('\n')
  const has = all.every((line) => line.startsWith(mark))
  const changed = all.map((line) => (has ? line.slice(mark.length) : mark + line)).join('\n')
  return { start: from, end: to, text: changed, selectStart: start === end ? from + changed.length : from, selectEnd: from + changed.length }
}

/** Puts a part between fences, on lines of their own, that are longer than those in it. */
function fenced(text: string, start: number, end: number, first: string): Change {
  const chosen = text.slice(start, end)
  const longest = Math.max(2, ...[...chosen.matchAll(/`+/g)].map(([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  const before = start === 0 || text[start - 1] === '\n' ? '' : '\n'
  const after = end === text.length || text[end] === '\n' ? '' : '\n'
  const opened = `${before}${fence}${first}\n`
  const changed = `${opened}${chosen}${chosen.endsWith('\n') ? '' : '\n'}${fence}${after}`
  return { start, end, text: changed, selectStart: start + opened.length, selectEnd: start + opened.length + chosen.length }
}
