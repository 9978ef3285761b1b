import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ServerEvent } from '../api/schema'
import { apply } from '../state/events/apply'
import { State } from '../state/state'
import { current } from './current'

const added = { id: 1, type: 'attachment', op: 'add', attachment: { id: 7, name: 'plan.txt', path_id: 'p', size: 1, create_time: 0, messages: [] }, upload_space_used: 1 } as ServerEvent
const other = { id: 2, type: 'alert_words', alert_words: [] } as unknown as ServerEvent

test('what an event may have changed meanwhile is fetched again', async () => {
  const state = new State()
  let fetched = 0
  const answer = await current(state, ['attachment'], async () => {
    if (fetched++ === 0) {
      apply(state, added, 0)
    }
    return fetched
  })
  assert.equal(answer, 2)
})

test('other events change nothing, and those that always come end it', async () => {
  const state = new State()
  let fetched = 0
  const fetch = (event: ServerEvent) => async () => {
    apply(state, event, 0)
    return ++fetched
  }
  assert.equal(await current(state, ['attachment'], fetch(other)), 1)
  assert.equal(await current(state, ['attachment'], fetch(added)), 5)
})
