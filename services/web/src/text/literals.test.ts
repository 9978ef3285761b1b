import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { test } from 'node:test'

/** What a script is made of, as far as it is looked at here. */
interface Node {
  readonly type: string
  readonly value?: unknown
  readonly [part: string]: unknown
}

const { parseAst } = createRequire(process.cwd() + '/')('rolldown/parseAst') as { parseAst(source: string, options: { lang: 'tsx' }): Node }

/** Attributes that people see or hear. */
const spoken = new Set(['aria-label', 'aria-description', 'aria-placeholder', 'aria-roledescription', 'aria-valuetext', 'title', 'placeholder', 'alt', 'label'])

/** Where the strings are that may become the value of an expression. */
const parts: Readonly<Record<string, readonly string[]>> = {
  BinaryExpression: ['left', 'right'],
  ConditionalExpression: ['consequent', 'alternate'],
  JSXExpressionContainer: ['expression'],
  LogicalExpression: ['left', 'right'],
  TemplateLiteral: ['quasis'],
}

function strings(node: unknown): readonly string[] {
  if (Array.isArray(node)) {
    return node.flatMap(strings)
  }
  const { type, value, ...rest } = (node ?? { type: '' }) as Node
  if (type === 'TemplateElement') {
    return [(value as { cooked: string }).cooked]
  }
  return typeof value === 'string' ? [value] : (parts[type] ?? []).flatMap((part) => strings(rest[part]))
}

/** Returns what people see or hear of a script that is written in it: between tags, and in attributes. */
function words(node: unknown): readonly string[] {
  if (typeof node !== 'object' || node === null) {
    return []
  }
  const { type, name, value, children } = node as Node
  const own = type === 'JSXAttribute' && spoken.has(String((name as Node)['name'])) ? strings(value) : type === 'JSXElement' || type === 'JSXFragment' ? strings(children) : []
  return [...own, ...Object.values(node).flatMap(words)]
}

function wordsOf(source: string): readonly string[] {
  return words(parseAst(source, { lang: 'tsx' })).filter((one) => /\p{L}{2}/u.test(one)).map((one) => one.trim())
}

test('words in a component are found', () => {
  const found = wordsOf("const a = <p title={b ? 'Yes' : `no ${c}`} class={d === 'on' ? 'off' : ''}>Some {e && 'more'} {f === 'x' ? text.g : null} ×</p>")
  assert.deepEqual([...found].sort(), ['Some', 'Yes', 'more', 'no'])
})

test('components have no words of their own', () => {
  const files = readdirSync('src/ui', { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.tsx'))
  assert.ok(files.length > 10)
  assert.deepEqual(files.flatMap((file) => wordsOf(readFileSync(`src/ui/${file}`, 'utf8')).map((one) => `${file}: ${one}`)), [])
})
