import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { speak } from '../text/text'
import { declared } from './gone'
import { refusalOf } from './request'

test('what is refused since something is gone is said in a sentence, and known by what was declared', async () => {
  await speak('en')
  const gone = refusalOf(400, null, { result: 'error', msg: 'Invalid stream id' })
  assert.equal(gone.message, 'This stream is gone, or isn’t for you.')
  assert.equal(gone.declared.message, 'Invalid stream id')
  assert.equal(refusalOf(400, null, { result: 'error', msg: 'Diesen Stream gibt es nicht.', untranslated: 'Invalid stream id' }).message, gone.message)
  assert.equal(refusalOf(400, null, { result: 'error', msg: 'Invalid user ID 1234' }).message, 'This account is gone.')
  assert.equal(refusalOf(400, null, { result: 'error', msg: 'Missing topic' }).message, 'Missing topic')
})

test('the interface declares what is known to be about something that is gone', () => {
  const refusals = readFileSync('../../pkg/catalogue/german_refusals.go', 'utf8') // from the folder of the client
  assert.deepEqual(Object.keys(declared).filter((one) => !refusals.includes(`"${one}":`)), [])
})
