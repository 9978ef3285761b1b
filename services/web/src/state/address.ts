import type { Destination, Term } from './narrow'

/** What names of things in addresses are made of; they only help who reads the address. */
export interface Names {
  stream(id: number): string
  person(id: number): string
}

/** Returns the people whom the address of a private conversation names: of a group all of them, so that it leads each of them there. */
function namedIn(people: readonly number[], self: number): readonly number[] {
  return people.length < 2 ? people : [...new Set([...people, self])].sort((a, b) => a - b)
}

/** Returns the fragment of the address of a narrow of an account, as in the links of messages (rest-api.md, section 7.5). */
export function addressOf({ narrow, near, recent }: Destination, names: Names, self: number): string {
  if (recent === true) {
    return '#recent'
  }
  const parts = narrow.flatMap((t) => [(t.negated ? '-' : '') + t.operator, encode(operandOf(t, names, self))])
  if (near !== undefined) {
    parts.push('near', String(near))
  }
  return parts.length === 0 ? '#' : '#narrow/' + parts.join('/')
}

function operandOf(term: Term, names: Names, self: number): string {
  switch (term.operator) {
    case 'stream':
      return slug(term.operand, names.stream(term.operand))
    case 'sender':
      return slug(term.operand, names.person(term.operand))
    case 'pm-with':
      return term.operand.length === 1 ? slug(term.operand[0] ?? 0, names.person(term.operand[0] ?? 0)) : namedIn(term.operand, self).join(',') + '-group'
    default:
      return term.operand
  }
}

function slug(id: number, name: string): string {
  return name === '' ? String(id) : `${id}-${name.replaceAll(' ', '-')}`
}

function encode(text: string): string {
  return encodeURIComponent(text)
    .replace(/[.!'()*]/g, (c) => '%' + c.charCodeAt(0).toString(16).toUpperCase())
    .replaceAll('%2C', ',')
    .replaceAll('%', '.')
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('.', '%'))
  } catch {
    return undefined
  }
}

/** Returns what a fragment leads to; undefined if it is none of a narrow. */
export function destinationOf(fragment: string): Destination | undefined {
  const parts = fragment.replace(/^#/, '').split('/')
  if (parts.length === 1 && parts[0] === '') {
    return { narrow: [] }
  }
  if (parts.length === 1 && parts[0] === 'recent') {
    return { narrow: [], recent: true }
  }
  if (parts[0] !== 'narrow' || parts.length % 2 === 0) {
    return undefined
  }
  const narrow: Term[] = []
  let near: number | undefined
  for (let i = 1; i < parts.length; i += 2) {
    const name = parts[i] ?? ''
    const operand = decode(parts[i + 1] ?? '')
    if (operand === undefined) {
      return undefined
    }
    if (name === 'near' || name === 'id') {
      near = Number.parseInt(operand, 10)
      continue
    }
    const term = termOf(name, operand)
    if (term === undefined) {
      return undefined
    }
    narrow.push(term)
  }
  return near === undefined || Number.isNaN(near) ? { narrow } : { narrow, near }
}

function termOf(name: string, operand: string): Term | undefined {
  const negated = name.startsWith('-') ? { negated: true } : {}
  const operator = name.replace(/^-/, '').replaceAll('_', '-')
  const id = Number.parseInt(operand, 10)
  switch (operator) {
    case 'stream':
    case 'sender':
      return Number.isNaN(id) ? undefined : { operator, operand: id, ...negated }
    case 'pm-with': {
      const people = operand.split('-')[0]?.split(',').filter((text) => text !== '').map(Number) ?? []
      return people.every(Number.isSafeInteger) ? { operator, operand: people, ...negated } : undefined
    }
    case 'topic':
    case 'is':
    case 'has':
    case 'in':
    case 'streams':
    case 'search':
      return { operator, operand, ...negated }
    default:
      return undefined
  }
}
