import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rank, typedAt } from './completion'

/** What is typed at the bar in a text. */
function typed(text: string): object | undefined {
  return typedAt(text.replace('|', ''), text.indexOf('|'))
}

test('what is being typed is found before the caret', () => {
  assert.deepEqual(typed('@|'), { kind: 'person', start: 0, query: '', silent: false })
  assert.deepEqual(typed('Ask @_dario f| today'), { kind: 'person', start: 4, query: 'dario f', silent: true })
  assert.deepEqual(typed('(@**Cle|'), { kind: 'person', start: 1, query: 'Cle', silent: false })
  assert.deepEqual(typed('x\n#gen|'), { kind: 'stream', start: 2, query: 'gen' })
  assert.deepEqual(typed('see #general>te|'), { kind: 'topic', start: 4, query: 'te', stream: 'general' })
  assert.deepEqual(typed('#**boiler room>|'), { kind: 'topic', start: 0, query: '', stream: 'boiler room' })
  assert.deepEqual(typed('/po|'), { kind: 'command', start: 0, query: 'po' })
  assert.deepEqual(typed('See\n```py|'), { kind: 'code', start: 7, query: 'py' })
  assert.deepEqual(typed('~~~c+|'), { kind: 'code', start: 3, query: 'c+' })
  assert.deepEqual(typed('yes :ta|'), { kind: 'emoji', start: 4, query: 'ta' })
})

test('where nothing can be completed, nothing is', () => {
  for (const text of ['a@b|', 'mail cleo@ha|', '# heading|', '@ x|', '@**Cleo** |', ':tada:|', '10:30|', ':p|', 'x`@cl|', '```\n@cl|', '```|', '``go|', 'a ```go|', '```\n```py\n```go x|', '~~~\n```go|', '~~~ go\nx\n#if|', 'nothing|', 'a\n/po|', '/poll |', '@x\ny|']) {
    assert.equal(typed(text), undefined, text)
  }
  assert.ok(typed('```\nx\n```\n@cl|'))
  assert.ok(typed('```quote\n@cl|'))
  assert.ok(typed('`x` @cl|'))
})

test('long lines take no time', () => {
  const began = performance.now()
  for (const piece of ['@', '#', '# ', '#a>', ':', '@_**', '`', ' @a #b']) {
    typedAt(piece.repeat(10_000), 10_000 * piece.length)
  }
  assert.ok(performance.now() - began < 1_000)
})

const offers = [
  { names: ['Zoe Marin'], order: 9 },
  { names: ['Ann Zoeller'], order: 0 },
  { names: ['Azoe Dahl'], order: 0 },
  { names: ['Zoë Aalto'], order: 9 },
  { names: ['Zoe Quay', 'zq'], order: 1 },
]

test('the best come first: whose name begins so, then a word of it, each in their order', () => {
  assert.deepEqual(
    rank(offers, 'zoe', 8).map((o) => o.names[0]),
    ['Zoe Quay', 'Zoë Aalto', 'Zoe Marin', 'Ann Zoeller'],
  )
  assert.deepEqual(rank(offers, 'ZQ', 8).map((o) => o.names[0]), ['Zoe Quay'])
  assert.equal(rank(offers, '', 3).length, 3)
  assert.deepEqual(rank(offers, '.*', 8), [])
})

test('of thousands, the best few are found in their order, with each key', () => {
  const many = Array.from({ length: 10_000 }, (_, i) => ({ names: [`Person ${(i * 7919) % 10_000}`, `p${i}@harbour.example`], order: i % 2 }))
  const found = rank(many, 'person 12', 4)
  assert.deepEqual(found.map((o) => o.order), [0, 0, 0, 0])
  assert.deepEqual(found.map((o) => o.names[0]), many.filter((o) => o.order === 0 && o.names[0]?.startsWith('Person 12')).map((o) => o.names[0]).sort().slice(0, 4))
  const began = performance.now()
  for (const key of ['', 'p', 'pe', 'nobody', 'harbour']) {
    rank(many, key, 10)
  }
  assert.ok(performance.now() - began < 1_000) // it takes 20
})
