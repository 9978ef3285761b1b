import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Typeahead } from './typeahead'

const names = ['Copy the text', 'Copy the link', 'Move…', 'Mark as unread', 'Mute', 'Öffnen']

/** Types letters, so many milliseconds apart, from an entry on, and returns the entries that they lead to. */
function typed(letters: string, apart = 100, from = 0): readonly number[] {
  const ahead = new Typeahead()
  let at = from
  return [...letters].map((letter, i) => {
    const found = ahead.find(letter, 10_000 + i * apart, names, at)
    at = found === -1 ? at : found
    return found
  })
}

test('letters that follow each other soon are the beginning of a name', () => {
  assert.deepEqual(typed('mu'), [2, 4])
  assert.deepEqual(typed('copy the l', 100, 5), [0, 0, 0, 0, 0, 0, 0, 0, 0, 1])
  assert.deepEqual(typed('Mark'), [2, 3, 3, 3])
  assert.deepEqual(typed('mx'), [2, -1])
  assert.deepEqual(typed('ö'), [5])
})

test('the same letter again, or one after a pause, leads to the next entry', () => {
  assert.deepEqual(typed('mmmm'), [2, 3, 4, 2])
  assert.deepEqual(typed('mm', 1_000), [2, 3])
  assert.deepEqual(typed('mc', 1_000), [2, 0])
})

test('a blank belongs to a name that is being typed', () => {
  const ahead = new Typeahead()
  assert.equal(ahead.goesOn(10_000), false)
  ahead.find('c', 10_000, names, 0)
  assert.equal(ahead.goesOn(10_100), true)
  assert.equal(ahead.goesOn(11_000), false)
})
