import assert from 'node:assert/strict'
import { test } from 'node:test'
import { View } from './view'

test('messages are added before, after and between those that are known, each once', () => {
  const view = new View([])
  const holds = (...ids: number[]) => assert.deepEqual(view.ids.peek(), ids)
  view.insert([40, 50])
  holds(40, 50)
  view.insert([20, 30, 40]) // a page has the message that it was asked for by
  holds(20, 30, 40, 50)
  view.insert([50, 60])
  holds(20, 30, 40, 50, 60)
  view.insert([35])
  holds(20, 30, 35, 40, 50, 60)
  view.insert([10, 20, 25, 40, 70])
  holds(10, 20, 25, 30, 35, 40, 50, 60, 70)
  view.insert([])
  holds(10, 20, 25, 30, 35, 40, 50, 60, 70)
})

test('after the selected message, the next one is selected, or else the one before', () => {
  const view = new View([])
  view.insert([3, 4, 5])
  view.selected.value = 4
  view.remove(new Set([4]))
  assert.equal(view.selected.value, 5)
  view.remove(new Set([5]))
  assert.deepEqual([view.selected.value, view.heir], [3, 3])
  view.remove(new Set([3]))
  assert.equal(view.selected.value, undefined)
})

test('a view keeps the latest messages that the next answer may lack, and no more than that', () => {
  const view = new View([])
  for (let id = 1; id <= 5_000; id++) view.await(id)
  assert.equal(view.waiting.size, 1_000)
  assert.ok(view.waiting.has(5_000) && view.waiting.has(4_001) && !view.waiting.has(4_000))
})
