import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

test('each key does one thing, and each has its words', () => {
  // The table needs a page, so that it is read as a text.
  const rows = [...readFileSync('src/ui/keys.ts', 'utf8').matchAll(/\{ keys: \[(.*?)\], does: '(\w+)'/g)]
  const keys = rows.flatMap(([, list = '']) => [...list.matchAll(/'(.*?)'/g)].map(([, key]) => key))
  assert.ok(keys.length > 40, `${keys.length} keys`)
  assert.deepEqual(keys.filter((key, i) => keys.indexOf(key) !== i), [])
  const does = rows.map(([, , name]) => name)
  assert.equal(new Set(does).size, does.length)
  const words = [...readFileSync('src/text/en/keys.ts', 'utf8').split('keyGroups')[0]!.matchAll(/^ {2}(\w+): /gm)].map(([, name]) => name)
  assert.deepEqual([...does].sort(), words.sort())
})
