import { ParseError, renderToString } from 'katex'
import { variantOf } from './alphabets'
import { parse } from './trusted'

/** The longest TeX that is typeset, in characters, and how deep what becomes of it may be nested. */
const longest = 3_000
const deepest = 80

/**
 * What defines macros. With these, few characters become millions of tokens, whatever the limit of expansions is, so TeX that has them
 * is shown as it was written.
 */
const definitions = /\\(?:[gex]?def|(?:future)?let|(?:re|provide)?(?:new)?command)(?![a-zA-Z@])/

const names = 'math menclose mfrac mglyph mi mn mo mover mpadded mphantom mroot mrow mspace msqrt mstyle msub msubsup msup mtable mtd mtext mtr munder munderover'
const elements = new Set(names.split(' '))

/** The attributes that are kept, each with what it may say. Lengths have two digits at most, so that nothing is far from its place. */
const length = /^[-+]?\d{0,2}(\.\d+)?(em|ex|pt|px|mu|%)$/
const flag = /^(true|false)$/
const color = /^(#[0-9a-f]{3,8}|[a-z]+)$/i
const attributes: Readonly<Record<string, RegExp>> = {
  accent: flag,
  accentunder: flag,
  depth: length,
  display: /^(block|inline)$/,
  displaystyle: flag,
  fence: flag,
  form: /^(prefix|infix|postfix)$/,
  height: length,
  largeop: flag,
  linethickness: length,
  lspace: length,
  mathbackground: color,
  mathcolor: color,
  maxsize: length,
  minsize: length,
  movablelimits: flag,
  rspace: length,
  scriptlevel: /^\+?\d$/,
  separator: flag,
  stretchy: flag,
  symmetric: flag,
  voffset: length,
  width: length,
}

/** The classes of sides. */
const sides: Readonly<Record<string, string>> = { left: 'start', right: 'end' }

const mathML = 'http://www.w3.org/1998/Math/MathML'

/**
 * Typesets TeX. undefined: it is wrong, too long or too deep. KaTeX writes MathML, which browsers typeset themselves: its other form has
 * inline styles, which the page's policy doesn't allow, and wants twenty fonts.
 */
export function typeset(tex: string, display: boolean): Element | undefined {
  if (tex.length > longest || definitions.test(tex)) {
    return undefined
  }
  try {
    const html = renderToString(tex, { output: 'mathml', displayMode: display, throwOnError: true, strict: 'ignore', trust: false, maxExpand: 200, maxSize: 20 })
    const made = parse(html).querySelector('math')
    return made === null ? undefined : copied(made, 0, false)
  } catch (error) {
    if (error instanceof ParseError || error instanceof RangeError) {
      return undefined
    }
    throw error
  }
}

/** Copies an element, with nothing in it that isn't known. */
function copied(from: Element, depth: number, sized: boolean): Element {
  if (depth > deepest) {
    throw new RangeError('formula is too deep')
  }
  const made = document.createElementNS(mathML, elements.has(from.localName) ? from.localName : 'mrow')
  for (const { name, value } of from.attributes) {
    if (attributes[name]?.test(value)) {
      made.setAttribute(name, value)
    }
  }
  const size = from.getAttribute('mathsize')
  const larger = size !== null && !sized && length.test(size) // sizes within sizes would multiply
  if (larger) {
    made.setAttribute('mathsize', size)
  }
  for (const notation of (from.getAttribute('notation') ?? '').split(' ')) {
    if (/^(box|top|bottom|left|right|(up|down)diagonalstrike|horizontalstrike)$/.test(notation)) {
      made.classList.add(sides[notation] ?? notation)
    }
  }
  const variant = from.getAttribute('mathvariant')
  if (variant === 'normal' && from.localName === 'mi') {
    made.setAttribute('mathvariant', variant)
  }
  for (const child of from.childNodes) {
    if (child.nodeType === Node.TEXT_NODE) {
      made.append(variantOf(child.textContent ?? '', variant))
    } else if (child instanceof Element && child.localName === 'semantics') {
      const [first] = child.children // the others say it in TeX
      made.append(...(first === undefined ? [] : [copied(first, depth + 1, sized || larger)]))
    } else if (child instanceof Element && !child.classList.contains('mtr-glue') && !child.classList.contains('mml-eqn-num')) {
      made.append(copied(child, depth + 1, sized || larger))
    }
  }
  align(from, made)
  return made
}

/** Has the cells of a table where its columns are aligned, which browsers don't know as an attribute. */
function align(from: Element, made: Element): void {
  const columns = from.localName === 'mtable' ? (from.getAttribute('columnalign') ?? '').split(' ') : []
  if (columns.every((column) => sides[column] === undefined)) {
    return
  }
  for (const row of made.children) {
    for (const [i, cell] of [...row.children].entries()) {
      const column = columns[i % columns.length]
      const side = sides[column ?? '']
      if (side !== undefined) {
        cell.classList.add(side)
      }
    }
  }
}
