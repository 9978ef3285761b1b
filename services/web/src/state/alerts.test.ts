import assert from 'node:assert/strict'
import { test } from 'node:test'
import { alertsOf } from './alerts'

function found(words: readonly string[], text: string): readonly string[] {
  return [...text.matchAll(alertsOf(words) ?? /$^/g)].map(([word]) => word)
}

test('words are found in any case, and not within others', () => {
  assert.deepEqual(found(['leak', 'c++'], 'A Leak, leaks; leak! c++ (C++)'), ['Leak', 'leak', 'c++', 'C++'])
  assert.deepEqual(found(['größe'], 'Größe übergröße'), ['Größe'])
})

test('words are no patterns', () => {
  assert.deepEqual(found(['.*', '(a', '[', '\\', '😀', ' '], 'x .* (a) [ \\ 😀'), ['.*', '(a', '[', '\\', '😀'])
  assert.equal(alertsOf([]), undefined)
})
