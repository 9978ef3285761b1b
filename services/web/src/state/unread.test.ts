import assert from 'node:assert/strict'
import { test } from 'node:test'
import { effect } from '@preact/signals'
import type { Place } from './conversation'
import { Unread } from './unread'

const tea: Place = { kind: 'topic', stream: 7, topic: 'tea' }
const milk: Place = { kind: 'topic', stream: 7, topic: 'milk' }

/** What is said of each place: how many messages, and the newest. */
function said(unread: Unread): readonly (readonly unknown[])[] {
  return [...unread.places()].map(({ place, count, newest }) => [place, count, newest])
}

test('places have how many messages are unread, and the newest, as of now', () => {
  const unread = new Unread()
  unread.add(tea, [3, 9, 4])
  unread.add(milk, [5])
  const all = [...unread.places()]
  assert.deepEqual(said(unread), [[tea, 3, 9], [milk, 1, 5]])
  unread.remove([9, 5])
  assert.deepEqual(said(unread), [[tea, 2, 4]])
  unread.move([4], milk)
  assert.deepEqual(said(unread), [[tea, 1, 3], [milk, 1, 4]])
  unread.add(milk, [2, 8])
  assert.deepEqual(said(unread), [[tea, 1, 3], [milk, 3, 8]])
  assert.equal([...unread.places()][0], all[0]) // it was changed, and not copied
})

test('who goes through the places is called again when any of them changes', () => {
  const unread = new Unread()
  const sums: number[] = []
  const end = effect(() => {
    let sum = 0
    for (const { count } of unread.places()) {
      sum += count
    }
    sums.push(sum)
  })
  unread.add(tea, [1, 2])
  unread.remove([1])
  end()
  unread.clear()
  assert.deepEqual(sums, [0, 2, 1])
})
