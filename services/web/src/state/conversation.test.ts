import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keyOf, topicKey } from './conversation'

test('topics are the same in all letter cases, as they are for the server', () => {
  for (const [one, other] of [['Pumps', 'PUMPS'], ['İzin', 'izin'], ['ΟΔΟΣ', 'οδοσ'], ['STRAẞE', 'straße'], ['Ǆ', 'ǆ'], ['👩‍🚒 Fire', '👩‍🚒 fire']] as const) {
    assert.equal(topicKey(one), topicKey(other))
    assert.equal(keyOf({ kind: 'topic', stream: 1, topic: one }), keyOf({ kind: 'topic', stream: 1, topic: other }))
  }
  for (const [one, other] of [['ΟΔΟΣ', 'οδος'], ['STRASSE', 'straße'], ['ılık', 'ilik']] as const) {
    assert.notEqual(topicKey(one), topicKey(other))
  }
})

test('each letter becomes one small letter, wherever it is', () => {
  for (let code = 0; code < 0x3000; code++) {
    const letter = String.fromCodePoint(code)
    const [small = ''] = letter.toLowerCase()
    assert.equal(topicKey(`A${letter}`), 'a' + small, letter)
    assert.equal(topicKey(`${letter}Ω`), small + 'ω', letter)
  }
})
