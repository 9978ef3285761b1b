import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { composes } from './composing'

test('the key that ends the composing of a character sends nothing, in Safari too', () => {
  assert.equal(composes({ isComposing: true, keyCode: 13 }), true)
  assert.equal(composes({ isComposing: false, keyCode: 229 }), true)
  assert.equal(composes({ isComposing: false, keyCode: 13 }), false)
})

test('whatever does something by Enter in a field asks whether a character is composed', () => {
  // Fields need a page, so that they are read as texts.
  const files = readdirSync('src/ui', { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.tsx'))
  const asking = files.map((name) => [name, readFileSync(`src/ui/${name}`, 'utf8')] as const).filter(([, text]) => text.includes("key === 'Enter'"))
  assert.ok(asking.length > 4, `${asking.length} files`)
  assert.deepEqual(asking.filter(([, text]) => !text.includes('composes(event)')).map(([name]) => name), [])
})
