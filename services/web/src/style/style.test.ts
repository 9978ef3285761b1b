import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

// Where lines begin at the right, the page is the other way round: `start` and `end` follow, `left` and `right` don't.
test('styles have no sides of their own', () => {
  const files = readdirSync('src/style').filter((name) => name.endsWith('.css'))
  assert.ok(files.length > 5)
  const found = files.flatMap((name) => {
    const rules = readFileSync(`src/style/${name}`, 'utf8').replaceAll(/\/\*[^]*?\*\//g, '')
    return [...rules.matchAll(/[^\n]*\b(left|right)\b[^\n]*/g)].map(([line]) => `${name}: ${line.trim()}`)
  })
  assert.deepEqual(found, [])
})

// A style that is loaded with a screen stays when one leaves it: of two that give a class a look, the one that came last would win everywhere.
test('no two files style a class of the same name', () => {
  const files = new Map<string, Set<string>>()
  for (const name of readdirSync('src/style').filter((one) => one.endsWith('.css'))) {
    const rules = readFileSync(`src/style/${name}`, 'utf8').replaceAll(/\/\*[^]*?\*\//g, '')
    for (const [, selectors = ''] of rules.matchAll(/([^{}]+)\{/g)) {
      for (const selector of selectors.split(',').map((one) => one.trim()).filter((one) => /^\.[\w-]+$/.test(one))) {
        files.set(selector, (files.get(selector) ?? new Set<string>()).add(name))
      }
    }
  }
  assert.ok(files.size > 100)
  assert.deepEqual([...files].filter(([, names]) => names.size > 1).map(([selector, names]) => [selector, ...names]), [])
})

/** Classes of what the server writes: edits, and the pages that need no script, and of signs in formulas, whose names are put together. */
const elsewhere = /^(highlight_text_(inserted|deleted)|signin-head|(up|down)diagonalstrike)$/

test('each class that has a style is used', () => {
  const scripts = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((name) => /(?<!\.test)\.tsx?$/.test(name) && !name.startsWith('text'))
  const words = new Set(scripts.flatMap((name) => readFileSync(`src/${name}`, 'utf8').split(/[^\w-]+/)))
  const unused = readdirSync('src/style').filter((name) => name.endsWith('.css')).flatMap((name) => {
    const rules = readFileSync(`src/style/${name}`, 'utf8').replaceAll(/\/\*[^]*?\*\/|\.codehilite :is\(.*?\)/g, '') // of the highlighter, in code
    const selectors = [...rules.matchAll(/([^{}]+)\{/g)].flatMap(([, all = '']) => [...all.matchAll(/\.([a-z_][\w-]*)/gi)])
    return [...new Set(selectors.map(([, one = '']) => one))].filter((one) => !words.has(one) && !elsewhere.test(one)).map((one) => `${name}: ${one}`)
  })
  assert.ok(words.size > 1000)
  assert.deepEqual(unused, [])
})
