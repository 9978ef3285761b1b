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

/** The colours of the tokens, by day and by night: red, green and blue. */
const tokens = new Map(
  [...readFileSync('src/style/tokens.css', 'utf8').matchAll(/--([\w-]+): light-dark\(#(\w{6}), #(\w{6})\)/g)].map(([, name = '', day = '', night = '']) => [
    name,
    [day, night].map((color) => [0, 2, 4].map((at) => parseInt(color.slice(at, at + 2), 16))),
  ]),
)

function colour(name: string, scheme: number): readonly number[] {
  return tokens.get(name)?.[scheme] ?? assert.fail(`there is no colour ${name}`)
}

/** The contrast of two colours (WCAG 2.2). */
function contrast(a: readonly number[], b: readonly number[]): number {
  const light = (parts: readonly number[]) => {
    const [red = 0, green = 0, blue = 0] = parts.map((part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
  }
  const [low = 0, high = 0] = [light(a), light(b)].sort((x, y) => x - y)
  return (high + 0.05) / (low + 0.05)
}

test('text can be read on each ground, and code is seen on those of messages', () => {
  for (const scheme of [0, 1]) {
    for (const ground of [...tokens.keys()].filter((name) => name.startsWith('ground'))) {
      for (const ink of ['ink', 'ink-soft', 'accent', 'danger']) {
        assert.ok(contrast(colour(ink, scheme), colour(ground, scheme)) >= 4.5, `${ink} on ${ground} in scheme ${scheme}`)
      }
    }
    for (const ground of ['ground', 'ground-pointed', 'ground-mention', 'ground-selected']) {
      const apart = colour('ground-code', scheme).map((part, i) => Math.abs(part - (colour(ground, scheme)[i] ?? 0)))
      assert.ok(apart.reduce((a, b) => a + b) >= 20, `code on ${ground} in scheme ${scheme}: ${apart}`)
    }
  }
})
