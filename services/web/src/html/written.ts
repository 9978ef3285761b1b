import { parse } from './trusted'

/** HTML that is longer than this is taken as its text: a message has less room. */
const longest = 300_000

/** What an element puts around its words. */
const marks: Readonly<Record<string, string>> = { B: '**', STRONG: '**', I: '*', EM: '*', DEL: '~~', S: '~~', STRIKE: '~~', CODE: '`', KBD: '`', SAMP: '`', TT: '`' }

/** What begins a paragraph of its own. */
const blocks = 'p, div, section, article, header, footer, main, ul, ol, li, dl, dt, dd, pre, blockquote, table, h1, h2, h3, h4, h5, h6, hr'

/** What has no words to read. */
const silent = new Set(['SCRIPT', 'STYLE', 'TEMPLATE', 'TITLE', 'NOSCRIPT', 'SELECT', 'TEXTAREA', 'svg'])

/** What has a form in messages. */
const meant = `${Object.keys(marks).join(', ')}, a[href], ul, ol, blockquote, pre, table, h1, h2, h3, h4, h5, h6`

/**
 * Returns what was copied from a page or a document as it is written in a message; undefined: its text says as much. Code of editors,
 * which is coloured and no more, is such a text.
 */
export function writtenOf(html: string): string | undefined {
  if (html.length > longest) {
    return undefined
  }
  const from = parse(still(html))
  if (from.querySelector(meant) === null || from.querySelector('[data-message]') !== null) { // whole messages come with names and times
    return undefined
  }
  if (from.querySelectorAll('pre').length === 1 && from.querySelector('pre')?.textContent.trim() === from.textContent.trim()) {
    return undefined
  }
  const written = paragraphs(from).join('\n\n').trim()
  return written === '' || bare(written) === bare(from.textContent) ? undefined : written
}

/** An attribute with a style or a script. */
const active = /\s(?:style|on[a-z]+)\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>]+)/gi

/**
 * Leaves styles and scripts out. Nothing of them would have an effect, but the browser would report each. Where a style says that bold words
 * aren't, as documents have one around everything, that is kept.
 */
function still(html: string): string {
  return html
    .replace(/<style\b[^]*?<\/style>/gi, '')
    .replace(/<[a-z][^>]*>/gi, (tag) => tag.replace(active, (attribute) => (/font-weight:\s*(?:normal|[1-4]00)/i.test(attribute) ? ' data-plain' : '')))
}

function bare(words: string): string {
  return words.replace(/\s+/g, '')
}

/** Returns the paragraphs of an element. */
function paragraphs(parent: Element): readonly string[] {
  const all: string[] = []
  let line = ''
  const end = () => {
    const words = tidy(line)
    line = ''
    if (words !== '') {
      all.push(words)
    }
  }
  for (const child of parent.childNodes) {
    if (child instanceof Element && (child.matches(blocks) || child.querySelector(blocks) !== null) && !silent.has(child.tagName)) {
      end()
      all.push(...block(child))
    } else {
      line += inline(child)
    }
  }
  end()
  return all
}

/** Returns the paragraphs that an element makes. */
function block(element: Element): readonly string[] {
  switch (element.tagName) {
    case 'UL':
    case 'OL':
      return [list(element)].filter((lines) => lines !== '')
    case 'PRE':
      return [fenced(element)]
    case 'BLOCKQUOTE':
      return [prefixed(paragraphs(element).join('\n\n'), '> ', '> ')]
    case 'TABLE':
      return table(element as HTMLTableElement)
    case 'HR':
      return []
    default: {
      const level = /^H([1-6])$/.exec(element.tagName)?.[1]
      return level === undefined ? paragraphs(element) : paragraphs(element).map((words) => `${'#'.repeat(Number(level))} ${words.replaceAll('**', '')}`)
    }
  }
}

function list(element: Element): string {
  let at = Number(element.getAttribute('start') ?? 1)
  return [...element.children]
    .flatMap((item) => {
      if (item.matches('ul, ol')) {
        return [prefixed(list(item), '  ', '  ')] // some programs put it between the items
      }
      const words = paragraphs(item).join('\n')
      const sign = element.tagName === 'OL' ? `${at++}. ` : '* '
      return words === '' ? [] : [prefixed(words, sign, '  ')]
    })
    .join('\n')
}

function fenced(element: Element): string {
  const code = element.textContent.replace(/\n+$/, '')
  const longest = Math.max(2, ...[...code.matchAll(/`+/g)].map(([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${code}\n${fence}`
}

/** Returns a table of several columns as one, and all else that is made with tables as its paragraphs. */
function table(element: HTMLTableElement): readonly string[] {
  const rows = [...element.rows].map((row) => [...row.cells].map((cell) => paragraphs(cell).join(' ').replace(/\s+/g, ' ').replaceAll('|', '\\|')))
  const columns = Math.max(0, ...rows.map((row) => row.length))
  const isFlat = element.querySelector('table, pre, ul, ol, h1, h2, h3, h4, h5, h6') === null
  const isNumbered = rows.every(([first = '']) => first === '') // lines of code, with numbers that are painted
  if (columns < 2 || !isFlat || isNumbered) {
    return isNumbered ? [[...element.rows].map((row) => row.textContent.trimEnd()).join('\n')] : [...element.rows].flatMap((row) => [...row.cells].flatMap(paragraphs))
  }
  const lines = rows.map((row) => `| ${Array.from({ length: columns }, (_, i) => row[i] ?? '').join(' | ')} |`)
  return [[lines[0], `|${' --- |'.repeat(columns)}`, ...lines.slice(1)].join('\n')]
}

/** Returns what is in a line. */
function inline(node: Node): string {
  if (node.nodeType === Node.TEXT_NODE) {
    return (node.textContent ?? '').replace(/\s+/g, ' ')
  }
  if (!(node instanceof Element) || silent.has(node.tagName)) {
    return ''
  }
  if (node.tagName === 'BR') {
    return '\n'
  }
  const words = [...node.childNodes].map(inline).join('')
  const mark = marks[node.tagName]
  if (node.tagName === 'A') {
    return linked(words, node.getAttribute('href') ?? '')
  }
  return mark === undefined || node.hasAttribute('data-plain') || words.includes(mark) ? words : around(words, mark)
}

/** Puts marks around words. Blanks at their edges stay outside, where the server wants them. */
function around(words: string, mark: string): string {
  const inner = words.trim()
  return inner === '' || inner.includes('\n') ? words : words.replace(inner, () => mark + inner + mark)
}

function linked(words: string, to: string): string {
  const inner = words.trim()
  const isAddress = /^(?:https?:\/\/|mailto:)/i.test(to) && URL.canParse(to)
  if (inner === '' || !isAddress || /[[\]\n]/.test(inner)) {
    return words
  }
  const address = to.replaceAll('(', '%28').replaceAll(')', '%29')
  return words.replace(inner, () => (bare(to).replace(/^mailto:|\/$/gi, '') === inner.replace(/\/$/, '') ? inner : `[${inner}](${address})`))
}

/** Puts a sign before the first line, and another one before the others. */
function prefixed(words: string, first: string, rest: string): string {
  return words.split('\n').map((line, i) => ((i === 0 ? first : rest) + line).trimEnd()).join('\n')
}

function tidy(line: string): string {
  return line.replace(/ *\n */g, '\n').replace(/ {2,}/g, ' ').trim()
}
