import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ProfileField } from '../../state/organization'
import { choicesOf, dataOf } from './fieldtypes'

const field = { field_data: '{"4":{"text":"Emacs","order":"2"},"0":{"text":"Vim","order":"1"}}' } as ProfileField

test('choices come in their order, and keep their values when they are renamed and others come and go', () => {
  const before = choicesOf(field)
  assert.deepEqual(before.map((c) => c.name), ['Vim', 'Emacs'])
  const after = [{ value: '4', name: ' Neo-Emacs ' }, { value: '', name: 'Nano' }, { value: '', name: ' ' }]
  assert.deepEqual(dataOf(after), { 4: { text: 'Neo-Emacs', order: '1' }, 5: { text: 'Nano', order: '2' } })
  assert.deepEqual(dataOf([]), {})
  assert.deepEqual(choicesOf({ field_data: '' } as ProfileField), [])
})
