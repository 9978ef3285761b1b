import assert from 'node:assert/strict'
import { test } from 'node:test'
import { called, named } from './listed'

test('a name that may become a longer one is chosen by Enter alone', () => {
  const all = ['ship', 'shipping', 'yard']
  const nameOf = (name: string) => name
  assert.equal(named(all, nameOf, 'yar', false), undefined)
  assert.equal(named(all, nameOf, 'yard', false), 'yard')
  assert.equal(named(all, nameOf, 'ship', false), undefined)
  assert.equal(named(all, nameOf, 'ship', true), 'ship')
  assert.equal(named(all, nameOf, 'shipping', false), 'shipping')
  assert.equal(called(all, nameOf, 'ship'), 'ship')
})

test('a name is found however its letters are written, first as it was typed', () => {
  const all = ['Cleo Marin', 'ben', 'Ben', 'Benedict']
  const nameOf = (name: string) => name
  assert.equal(named(all, nameOf, 'cleo marin', false), 'Cleo Marin')
  assert.equal(named(all, nameOf, 'ben', false), undefined)
  assert.equal(named(all, nameOf, 'ben', true), 'ben')
  assert.equal(called(all, nameOf, 'Ben'), 'Ben')
  assert.equal(called(all, nameOf, 'BEN'), 'ben')
})
