import assert from 'node:assert/strict'
import { test } from 'node:test'
import { byName } from './order'

test('names are ordered by the numbers in them, whatever their capitals and accents', () => {
  const names = ['team 10', 'Team 2', 'zebra', 'Éclair', 'team 2 b', 'eclipse', 'apple']
  const ordered = names.map((name) => ({ name })).sort(byName).map(({ name }) => name)
  assert.deepEqual(ordered, ['apple', 'Éclair', 'eclipse', 'Team 2', 'team 2 b', 'team 10', 'zebra'])
})
