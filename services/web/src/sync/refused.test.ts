import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { CallError, refusalOf } from '../api/request'
import { State } from '../state/state'
import { speak } from '../text/text'
import { isOfDeactivated, named } from './refused'

test('a refusal says the name of a stream in place of its number', async () => {
  await speak('en')
  const state = new State()
  state.streams.value = new Map([[7, { stream_id: 7, name: 'harbour' } as never]])
  const of = (message: string, untranslated?: string) => named(new CallError(message, 400, 'BAD_REQUEST', 0, '', untranslated === undefined ? {} : { untranslated }), state).message
  for (const message of ["Stream with ID '7' does not exist", 'Not subscribed to stream id 7', "Not authorized to send to stream '7'", 'Stream does not exist with id: 7. No invites were sent.', 'Invalid stream id 7. No invites were sent.']) {
    assert.equal(of(message), '#harbour is gone, or you aren’t subscribed to it.')
    assert.equal(of('Einen Stream mit der Nummer 7 gibt es nicht.', message), '#harbour is gone, or you aren’t subscribed to it.')
  }
  assert.equal(of('Topics have at most 60 characters'), 'Topics have at most 60 characters')
})

test('a deactivated account is known by what the interface declares, in any language', () => {
  const declared = 'Account is deactivated'
  assert.ok(readFileSync('../../pkg/catalogue/german_refusals.go', 'utf8').includes(`"${declared}":`))
  const of = (answer: object) => isOfDeactivated(refusalOf(401, null, { result: 'error', ...answer }))
  assert.equal(of({ msg: declared }), true)
  assert.equal(of({ msg: 'Das Konto ist deaktiviert.', untranslated: declared }), true)
  assert.equal(of({ msg: 'Not logged in: API authentication or user session required' }), false)
})
