import assert from 'node:assert/strict'
import { test } from 'node:test'
import { variantOf } from './alphabets'

test('letters are those of their alphabet, wherever that has them', () => {
  assert.equal(variantOf('RaZ1', 'double-struck'), 'ℝ𝕒ℤ1')
  assert.equal(variantOf('ABe', 'script'), '𝒜ℬℯ')
  assert.equal(variantOf('zC', 'fraktur'), '𝔷ℭ')
  assert.equal(variantOf('Az', 'bold'), '𝐀𝐳')
  assert.equal(variantOf('Az', 'normal'), 'Az')
  assert.equal(variantOf('Az', null), 'Az')
})
