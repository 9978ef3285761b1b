import { parse } from './trusted'

/** What the HTML of messages refers to. */
export interface Known {
  /** Own account, whose mentions stand out. */
  readonly self: number
  /** What is written over a spoiler without a heading. */
  readonly spoiler: string
  /** Writes a time for people. */
  time(time: Date): string
}

/** The elements that the server writes (rest-api.md, section 7), each with the attributes that are kept. */
const elements: Readonly<Record<string, readonly string[]>> = {
  A: ['href', 'title'],
  B: [],
  BLOCKQUOTE: [],
  BR: [],
  CODE: [],
  DEL: [],
  DIV: [],
  EM: [],
  H1: [],
  H2: [],
  H3: [],
  H4: [],
  H5: [],
  H6: [],
  HR: [],
  I: [],
  IMG: ['alt', 'src', 'title'],
  LI: [],
  OL: ['start'],
  P: [],
  PRE: [],
  SPAN: [],
  STRONG: [],
  TABLE: [],
  TBODY: [],
  TD: ['align'],
  TH: ['align'],
  THEAD: [],
  TIME: ['datetime'],
  TR: [],
  UL: [],
}

/** The classes that have a style. Those of code are one to three letters. */
const classes =
  /^(codehilite|[a-z][a-z0-9]{0,2}|emoji|user-mention|user-group-mention|silent|stream|stream-topic|message_inline_image|youtube-video|highlight|timestamp-error|tex-error|highlight_text_(inserted|deleted))$/

const schemes = new Set(['http:', 'https:', 'ftp:', 'mailto:', 'bitcoin:'])

/**
 * Makes what a page shows of a message's HTML. Nothing of it is taken over as it is: elements and attributes that the server doesn't
 * write are left out, so that a hole in the server's renderer is none here.
 */
export function contentOf(html: string, known: Known): DocumentFragment {
  const fragment = document.createDocumentFragment()
  copyAll(parse(html), fragment, known)
  return fragment
}

/** Returns the text of a message's HTML. */
export function textOf(html: string): string {
  return parse(html).textContent.trim()
}

function copyAll(from: Element, to: Node, known: Known): void {
  for (const child of from.childNodes) {
    if (child.nodeType === Node.TEXT_NODE) {
      to.appendChild(document.createTextNode(child.textContent ?? ''))
    } else if (child instanceof Element) {
      copy(child, to, known)
    }
  }
}

function copy(from: Element, to: Node, known: Known): void {
  const special = specialOf(from, known)
  if (special !== undefined) {
    to.appendChild(special)
    return
  }
  const attributes = elements[from.tagName]
  if (attributes === undefined) {
    copyAll(from, to, known)
    return
  }
  const made = document.createElement(from.tagName)
  for (const name of attributes) {
    const value = from.getAttribute(name)
    if (value !== null) {
      setAttribute(made, name, value)
    }
  }
  const kept = [...from.classList].filter((name) => classes.test(name))
  if (kept.length > 0) {
    made.className = kept.join(' ')
  }
  if (mentions(from, known.self)) {
    made.classList.add('me')
  }
  if (made.tagName === 'PRE') {
    made.tabIndex = 0 // wide code can be scrolled by keys
  }
  copyAll(from, made, known)
  to.appendChild(made)
}

function setAttribute(made: HTMLElement, name: string, value: string): void {
  if (name === 'href') {
    link(made, value)
  } else if (name === 'src') {
    source(made, value)
  } else {
    made.setAttribute(name, value)
  }
}

/** Sets where a link leads: on this site in the same window, elsewhere in another one, to which this page is unknown. */
function link(made: HTMLElement, value: string): void {
  const url = urlOf(value)
  if (url === undefined || !schemes.has(url.protocol)) {
    return
  }
  made.setAttribute('href', url.href)
  const here = url.origin === location.origin && url.pathname === '/'
  if (!here) {
    made.setAttribute('target', '_blank')
    made.setAttribute('rel', 'noopener noreferrer')
  }
}

/** Sets an image, which this server has: it passes on those of others. */
function source(made: HTMLElement, value: string): void {
  const url = urlOf(value)
  if (url !== undefined && url.origin === location.origin) {
    made.setAttribute('src', url.href)
    made.setAttribute('loading', 'lazy')
    if (!made.hasAttribute('alt')) {
      made.setAttribute('alt', '')
    }
  }
}

function urlOf(value: string): URL | undefined {
  try {
    return new URL(value, location.origin + '/')
  } catch {
    return undefined
  }
}

function mentions(from: Element, self: number): boolean {
  const who = from.getAttribute('data-user-id')
  return from.classList.contains('user-mention') && !from.classList.contains('silent') && (who === '*' || who === String(self))
}

/** Returns what stands for an element that isn't shown as it is. */
function specialOf(from: Element, known: Known): Node | undefined {
  if (from.classList.contains('emoji') && from.tagName === 'SPAN') {
    return emoji(from)
  }
  if (from.classList.contains('spoiler-block')) {
    return spoiler(from, known)
  }
  if (from.classList.contains('katex')) {
    return math(from)
  }
  if (from.tagName === 'TIME') {
    return time(from, known)
  }
  return from.tagName === 'SCRIPT' || from.tagName === 'STYLE' || from.tagName === 'TEMPLATE' ? document.createTextNode('') : undefined
}

/** Returns the characters of an emoji's code: hexadecimal code points, joined by hyphens. */
export function characters(code: string): string {
  const points = code.split('-').map((hex) => Number.parseInt(hex, 16))
  return points.every((point) => point > 0 && point <= 0x10ffff) ? String.fromCodePoint(...points) : ''
}

function emoji(from: Element): Node {
  const code = [...from.classList].find((name) => name.startsWith('emoji-'))?.slice('emoji-'.length) ?? ''
  const made = document.createElement('span')
  made.className = 'emoji'
  made.setAttribute('role', 'img')
  made.setAttribute('aria-label', from.getAttribute('aria-label') ?? from.textContent)
  made.title = from.textContent
  made.textContent = characters(code) || from.textContent
  return made
}

function spoiler(from: Element, known: Known): Node {
  const made = document.createElement('details')
  const heading = document.createElement('summary')
  made.className = 'spoiler'
  made.appendChild(heading)
  const [above, below] = from.children
  if (above !== undefined) {
    copyAll(above, heading, known)
  }
  if (heading.textContent.trim() === '') {
    heading.textContent = known.spoiler
  }
  if (below !== undefined) {
    copyAll(below, made, known)
  }
  return made
}

/** TeX is shown as it was written. */
function math(from: Element): Node {
  const made = document.createElement('code')
  made.className = 'math'
  made.textContent = from.querySelector('annotation')?.textContent ?? from.textContent
  return made
}

function time(from: Element, known: Known): Node {
  const made = document.createElement('time')
  const at = new Date(from.getAttribute('datetime') ?? '')
  const written = from.textContent
  if (Number.isNaN(at.getTime())) {
    made.textContent = written
    return made
  }
  made.dateTime = at.toISOString()
  made.title = written
  made.textContent = known.time(at)
  return made
}
