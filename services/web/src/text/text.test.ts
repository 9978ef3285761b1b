import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isolated, speak } from './text'

test('names in the middle of a text don’t change the order of what is around them', async () => {
  await speak('en')
  assert.equal(isolated('general'), 'general')
  assert.equal(isolated('Grüße 5 ✔'), 'Grüße 5 ✔')
  assert.equal(isolated('תה'), '\u2068תה\u2069')
  assert.equal(isolated('a\u202eb\u2069'), 'ab')
  assert.equal(isolated('تين\u2069 x'), '\u2068تين x\u2069')
})
