import assert from 'node:assert/strict'
import { test } from 'node:test'
import { around } from './window'

const ids = Array.from({ length: 100 }, (_, i) => 10 * i)
const high = () => 50

test('a view is opened with the messages that fill a screen', () => {
  assert.deepEqual(around(ids, 500, 300, high), { first: 460, last: 550 })
  assert.deepEqual(around(ids, undefined, 300, high), { first: 940, last: 990 })
  assert.deepEqual(around(ids, 505, 300, high), { first: 470, last: 560 }) // it is gone
})

test('it is opened with at most as many as are made quickly', () => {
  assert.deepEqual(around(ids, 500, 5_000, high), { first: 460, last: 640 })
  assert.deepEqual(around(ids, undefined, 5_000, high), { first: 850, last: 990 })
})

test('those before fill the screen where it is opened near the end', () => {
  assert.deepEqual(around(ids, 980, 500, high), { first: 900, last: 990 })
  assert.deepEqual(around(ids, 0, 300, high), { first: 0, last: 50 })
  assert.deepEqual(around([], undefined, 300, high), { first: 0, last: 0 })
})

test('heights depend on the message before', () => {
  const asked: (number | undefined)[][] = []
  around([10, 20], 10, 300, (id, before) => (asked.push([id, before]), 50))
  assert.deepEqual(asked, [[10, undefined], [20, 10]])
})
