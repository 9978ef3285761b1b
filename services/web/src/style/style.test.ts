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
