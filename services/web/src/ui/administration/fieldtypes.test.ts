import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ProfileField } from '../../state/organization'
import { choicesOf, dataOf, isGiven, merged } from './fieldtypes'

const field = { field_data: '{"4":{"text":"Emacs","order":"2"},"0":{"text":"Vim","order":"1"}}' } as ProfileField

test('choices come in their order, and keep their values when they are renamed and others come and go', () => {
  const before = choicesOf(field)
  assert.deepEqual(before.map((c) => c.name), ['Vim', 'Emacs'])
  const after = [{ value: '4', name: ' Neo-Emacs ' }, { value: '', name: 'Nano' }, { value: '', name: ' ' }]
  const { 4: kept, ...added } = dataOf(after)
  assert.deepEqual(kept, { text: 'Neo-Emacs', order: '1' })
  assert.deepEqual(Object.values(added), [{ text: 'Nano', order: '2' }])
  assert.deepEqual(dataOf([]), {})
  assert.deepEqual(choicesOf({ field_data: '' } as ProfileField), [])
})

test('a choice that is added has no value that a removed one had', () => {
  const removed = choicesOf(field).filter((c) => c.name !== 'Emacs')
  const again = Array.from({ length: 100 }, () => Object.keys(dataOf([...removed, { value: '', name: 'Nano' }])))
  assert.equal(new Set(again.flat()).size, 101)
  assert.equal(Object.keys(dataOf([{ value: '', name: 'Vim' }]))[0] === '0', false)
})

test('choices that others change meanwhile are as they made them, but for what is changed here', () => {
  const choice = (value: string, name: string) => ({ value, name })
  const before = [choice('1', 'Kiel'), choice('2', 'Ulm'), choice('3', 'Trier'), choice('4', 'Jena')]
  const own = [choice('1', 'Kiel'), choice('2', 'Neu-Ulm'), choice('3', 'Trier'), choice('', 'Jever')]
  const now = [choice('1', 'Kiel-Nord'), choice('2', 'Ulm'), choice('4', 'Jena'), choice('5', 'Bonn')]
  assert.deepEqual(merged(own, before, now), [choice('1', 'Kiel-Nord'), choice('2', 'Neu-Ulm'), choice('', 'Jever'), choice('5', 'Bonn')])
})

test('what the server knows of an account elsewhere is given', () => {
  const account = (field_data: string) => ({ type: 7, field_data }) as ProfileField
  assert.equal(isGiven(account('{"subtype":"github"}')), true)
  assert.equal(isGiven(account('{"subtype":"custom","url_pattern":"https://x.example/%(username)s"}')), false)
  assert.equal(isGiven({ ...field, type: 3 }), false)
})
