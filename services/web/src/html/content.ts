import { parse } from './trusted'

/** What the HTML of messages refers to. */
export interface Known {
  /** Own account, whose mentions stand out. */
  readonly self: number
  /** Reports whether one is in a group, whose mentions stand out then. */
  inGroup(group: number): boolean
  /** Finds words that stand out; undefined: none do. */
  readonly alerts: RegExp | undefined
  /** What is written over a spoiler without a heading. */
  readonly spoiler: string
  /** What a button says that copies code, and what is said of a table that may have to be scrolled. */
  readonly copy: string
  readonly table: string
  /** What a button says that shows the whole of a long quote. */
  readonly more: string
  /** Whether emoji are shown by their names. */
  readonly words: boolean
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

/** Blocks that begin at the right where their own first letter is of a language that does, and have what is in them do as well: a message may have several languages. */
const turning = 'p, ul, ol, blockquote, h1, h2, h3, h4, h5, h6, table, details'

/**
 * Makes what a page shows of a message's HTML. Nothing of it is taken over as it is: elements and attributes that the server doesn't
 * write are left out, so that a hole in the server's renderer is none here.
 */
export function contentOf(html: string, known: Known): DocumentFragment {
  const fragment = document.createDocumentFragment()
  copyAll(parse(html), fragment, known)
  for (const link of fragment.querySelectorAll<HTMLAnchorElement>('.message_inline_image a')) {
    link.querySelector('img')?.setAttribute('alt', pictureName(link))
  }
  play(fragment)
  for (const block of fragment.querySelectorAll<HTMLElement>(turning)) {
    if (!block.parentElement?.closest('[dir]')) {
      block.dir = 'auto'
    }
  }
  if (known.alerts !== undefined) {
    mark(fragment, known.alerts)
  }
  return fragment
}

/** Returns the name of a picture by the link that it is in. */
export function pictureName(link: HTMLAnchorElement): string {
  const file = link.href.split('/').at(-1) ?? ''
  try {
    return link.title || decodeURIComponent(file)
  } catch {
    return file
  }
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
  const made = mentioned(from) ?? document.createElement(from.tagName)
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
  if (mentions(from, known)) {
    made.classList.add('me')
  }
  if (made.tagName === 'PRE') {
    made.tabIndex = 0 // wide code can be scrolled by keys
  }
  copyAll(from, made, known)
  to.appendChild(made.tagName === 'BLOCKQUOTE' ? folded(made, from, known) : framed(made, known))
}

/** How many lines a quote has that is folded, and how many characters a line has, about. */
const longQuote = 10
const lineLength = 90

/** Returns a quote, of which the beginning is shown if it is long and in no other; a button shows the rest. */
function folded(quote: HTMLElement, from: Element, known: Known): HTMLElement {
  const lines = quote.textContent.split('\n').reduce((sum, line) => sum + Math.ceil(line.length / lineLength), 0)
  if (lines <= longQuote || from.parentElement?.closest('blockquote') !== null) {
    return quote
  }
  const frame = document.createElement('div')
  frame.className = 'quote folded'
  const more = document.createElement('button')
  more.className = 'plain more'
  more.type = 'button'
  more.textContent = known.more
  frame.append(quote, more)
  return frame
}

/** Returns code with a button that copies it, and a table in what scrolls it; everything else as it is. */
function framed(made: HTMLElement, known: Known): HTMLElement {
  if (made.tagName !== 'PRE' && made.tagName !== 'TABLE') {
    return made
  }
  const frame = document.createElement('div')
  frame.append(made)
  if (made.tagName === 'TABLE') {
    frame.className = 'table'
    frame.tabIndex = 0
    frame.setAttribute('role', 'group')
    frame.setAttribute('aria-label', known.table)
    return frame
  }
  frame.className = 'code'
  const copy = document.createElement('button')
  copy.className = 'icon copy-code'
  copy.type = 'button'
  copy.title = known.copy
  copy.setAttribute('aria-label', known.copy)
  frame.append(copy)
  return frame
}

const film = /\.(mp4|webm|ogv|mov|m4v)$/i
const sound = /\.(mp3|m4a|ogg|oga|opus|wav|flac|aac|weba)$/i

/** How many films and sounds of a message can be played in it. */
const mostPlayed = 5

/** Returns the blocks of a message below which players may be: those of a spoiler stay in it, and quotes have none. */
function blocksOf(content: ParentNode): readonly Element[] {
  return [...content.children].flatMap((block) => (block.tagName === 'DETAILS' ? blocksOf(block) : block.matches('blockquote, .quote') ? [] : [block]))
}

/** Puts players below the links to uploaded films and sounds. */
function play(content: DocumentFragment): void {
  let played = 0
  for (const block of blocksOf(content)) {
    const players = [...block.querySelectorAll<HTMLAnchorElement>('a[href]')].flatMap((link) => {
      const { origin, pathname } = new URL(link.href)
      const ours = origin === location.origin && pathname.startsWith('/user_uploads/')
      const made = ours && film.test(pathname) ? document.createElement('video') : ours && sound.test(pathname) ? document.createElement('audio') : undefined
      if (made === undefined || played >= mostPlayed) {
        return []
      }
      played++
      made.controls = true
      made.preload = 'metadata'
      made.setAttribute('aria-label', link.textContent)
      made.src = link.href
      return [made]
    })
    block.after(...players)
  }
}

/** Marks words, wherever they are in a text. */
function mark(content: DocumentFragment, words: RegExp): void {
  const texts = document.createTreeWalker(content, NodeFilter.SHOW_TEXT)
  const nodes: Text[] = []
  while (texts.nextNode()) {
    nodes.push(texts.currentNode as Text)
  }
  for (const node of nodes) {
    let end = 0
    const parts: (string | Node)[] = []
    for (const found of node.data.matchAll(words)) {
      const made = document.createElement('mark')
      made.textContent = found[0]
      parts.push(node.data.slice(end, found.index), made)
      end = found.index + found[0].length
    }
    if (end > 0) {
      node.replaceWith(...parts, node.data.slice(end))
    }
  }
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

function mentions(from: Element, known: Known): boolean {
  if (from.classList.contains('user-group-mention')) {
    return known.inGroup(Number(from.getAttribute('data-user-group-id')))
  }
  const who = from.getAttribute('data-user-id')
  return from.classList.contains('user-mention') && !from.classList.contains('silent') && (who === '*' || who === String(known.self))
}

/** Returns the button by which a mention shows whom it names; undefined: the element is none. */
function mentioned(from: Element): HTMLElement | undefined {
  const [kind, id] = from.classList.contains('user-mention') ? ['person', from.getAttribute('data-user-id')] : from.classList.contains('user-group-mention') ? ['group', from.getAttribute('data-user-group-id')] : []
  if (kind === undefined || !/^\d+$/.test(id ?? '') || from.closest('a') !== null) {
    return undefined
  }
  const made = document.createElement('button')
  made.type = 'button'
  made.dataset[kind] = id ?? ''
  return made
}

/** Returns what stands for an element that isn't shown as it is. */
function specialOf(from: Element, known: Known): Node | undefined {
  if (from.classList.contains('emoji') && from.tagName === 'SPAN') {
    return emoji(from, known)
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

function emoji(from: Element, known: Known): Node {
  const code = [...from.classList].find((name) => name.startsWith('emoji-'))?.slice('emoji-'.length) ?? ''
  const made = document.createElement('span')
  made.className = 'emoji'
  made.setAttribute('role', 'img')
  made.setAttribute('aria-label', from.getAttribute('aria-label') ?? from.textContent)
  made.title = from.textContent
  made.textContent = known.words ? from.textContent : characters(code) || from.textContent
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

/** TeX is shown as it was written until ./math.ts typesets it. */
function math(from: Element): Node {
  const made = document.createElement('code')
  made.className = from.parentElement?.classList.contains('katex-display') ? 'math display' : 'math'
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
