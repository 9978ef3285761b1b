import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressOf, destinationOf } from './address'
import { withoutSelf, type Destination } from './narrow'

const names = { stream: () => 'boiler room', person: () => 'Ines Odum' }
const self = 5

test('an address leads back to its narrow', () => {
  const all: readonly Destination[] = [
    { narrow: [] },
    { narrow: [], recent: true },
    { narrow: [{ operator: 'stream', operand: 7 }, { operator: 'topic', operand: 'a/b 50% .#?é’👍' }], near: 12 },
    { narrow: [{ operator: 'pm-with', operand: [3, 9] }] },
    { narrow: [{ operator: 'pm-with', operand: [] }] },
    { narrow: [{ operator: 'sender', operand: 3, negated: true }, { operator: 'search', operand: 'two words' }] },
  ]
  for (const destination of all) {
    assert.deepEqual(withoutSelf(destinationOf(addressOf(destination, names, self)) ?? { narrow: [] }, self), destination)
  }
})

test('addresses are those that the server writes into messages', () => {
  assert.equal(addressOf({ narrow: [{ operator: 'stream', operand: 5 }, { operator: 'topic', operand: 'my topic v1.2' }] }, names, self), '#narrow/stream/5-boiler-room/topic/my.20topic.20v1.2E2')
})

test('the address of a group names all of its people', () => {
  assert.equal(addressOf({ narrow: [{ operator: 'pm-with', operand: [3, 9] }] }, names, self), '#narrow/pm-with/3,5,9-group')
  assert.equal(addressOf({ narrow: [{ operator: 'pm-with', operand: [3] }] }, names, self), '#narrow/pm-with/3-Ines-Odum')
})

test('other fragments lead nowhere', () => {
  for (const fragment of ['#settings', '#narrow/stream', '#narrow/stream/x', '#narrow/topic/.ZZ', '#narrow/colour/blue']) {
    assert.equal(destinationOf(fragment), undefined, fragment)
  }
})
