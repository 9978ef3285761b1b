import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Registration } from '../state/model'
import { State } from '../state/state'
import { read } from './query'
import { lastWord } from './searching'

test('the last word is what is completed, with what is in quotes', () => {
  assert.deepEqual(lastWord('tea is:un'), { start: 4, word: 'is:un' })
  assert.deepEqual(lastWord('-sender:"Dario Fu'), { start: 0, word: '-sender:"Dario Fu' })
  assert.deepEqual(lastWord('tea '), { start: 4, word: '' })
  assert.deepEqual(lastWord(''), { start: 0, word: '' })
})

test('what is typed is a narrow, or says which word is none', () => {
  const state = new State()
  state.fill({ user_id: 1, realm_users: [{ user_id: 2, full_name: 'Dario Fuchs', email: 'd@x' }], subscriptions: [{ stream_id: 7, name: 'boiler room' }], service_version: '1' } as unknown as Registration)
  assert.deepEqual(read('-stream:"boiler room" from:me is:starred two words', state), {
    narrow: [{ operator: 'stream', operand: 7, negated: true }, { operator: 'sender', operand: 1 }, { operator: 'is', operand: 'starred' }, { operator: 'search', operand: 'two words' }],
  })
  for (const written of ['date:2026-10-31 tea', 'tea date:31.10.2026']) {
    assert.deepEqual(read(written, state), { narrow: [{ operator: 'search', operand: 'tea' }], at: { time: new Date(2026, 9, 31), before: false } })
  }
  assert.deepEqual(read('before:2026-10-31', state), { narrow: [], at: { time: new Date(2026, 9, 31), before: true } })
  assert.deepEqual(read('after:31.10.2026', state), { narrow: [], at: { time: new Date(2026, 10, 1), before: false } })
  for (const wrong of ['date:2026-13-01', 'date:2026-02-30', 'date:31.10', '-date:2026-10-31', 'before:31.10', '-after:2026-10-31']) {
    assert.deepEqual(read(wrong, state), { unknown: wrong })
  }
  assert.deepEqual(read('is:nothing', state), { unknown: 'is:nothing' })
  assert.deepEqual(read('has:constructor', state), { unknown: 'has:constructor' })
  for (const begun of ['is:', 'stream:', 'topic:', 'sender:', 'pm-with:', 'date:', 'before:', '-has:']) {
    assert.deepEqual(read(`tea ${begun}`, state), { unknown: begun })
  }
  assert.deepEqual(read('http://x.example', state), { narrow: [{ operator: 'search', operand: 'http://x.example' }] })
})
