import assert from 'node:assert/strict'
import { test } from 'node:test'
import { catalogue as english } from '../../text/en'
import { fromUnit, inUnit, rules, spoken } from './rulelist'

test('limits are said in the largest unit that fits', () => {
  assert.deepEqual(spoken('minute', 600), { unit: 'minute', count: 10 })
  assert.deepEqual(spoken('minute', 5400), { unit: 'minute', count: 90 })
  assert.deepEqual(spoken('minute', 7200), { unit: 'hour', count: 2 })
  assert.deepEqual(spoken('minute', 604_800), { unit: 'day', count: 7 })
  assert.deepEqual(spoken('minute', 61), { unit: 'second', count: 61 })
  assert.deepEqual(spoken('day', 730), { unit: 'year', count: 2 })
  assert.deepEqual(spoken('day', 90), { unit: 'day', count: 90 })
  assert.equal(fromUnit('minute', inUnit('minute', 120)), 120)
})

test('every rule has its words, and every choice', () => {
  const words = english.administration.rules as unknown as Readonly<Record<string, { readonly label?: string; readonly choices?: Readonly<Record<string, string>> }>>
  for (const rule of Object.values(rules).flat()) {
    assert.ok(words[rule.name]?.label, rule.name)
    for (const value of rule.kind === 'choice' ? rule.of : []) {
      assert.ok(words[rule.name]?.choices?.[String(value)], `${rule.name}: ${value}`)
    }
  }
})
