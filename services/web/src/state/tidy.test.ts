import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ServerEvent } from '../api/schema'
import { apply } from './events/apply'
import type { Registration } from './model'
import { narrowTo } from './narrow'
import { State } from './state'

const registration = { queue_id: 'q', user_id: 1, starred_messages: [], subscriptions: [{ stream_id: 7, name: 'general' }] } as unknown as Registration

/** A state to which messages come, each in one of a thousand topics. */
function busy() {
  const state = new State()
  state.fill(registration)
  const arrive = (from: number, to: number) => {
    for (let id = from; id <= to; id++) {
      const message = { id, timestamp: id, type: 'stream', sender_id: 2, stream_id: 7, subject: `t${id % 1000}`, display_recipient: 'general', reactions: [], submessages: [], content: '<p>x</p>' }
      apply(state, { id, type: 'message', flags: [], message } as unknown as ServerEvent, id)
    }
  }
  const known = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i).filter((id) => state.message(id) !== undefined).length
  const topic = (name: string) => {
    const view = state.view(narrowTo({ kind: 'topic', stream: 7, topic: name }))
    view.ids.value ??= []
    view.foundOldest.value = view.foundNewest.value = true
    return view
  }
  return { state, arrive, known, topic }
}

test('the oldest messages that are in no view are forgotten, and what is unread stays counted', () => {
  const { state, arrive, known, topic } = busy()
  const view = topic('t1')
  arrive(1, 30_000)
  assert.equal(view.ids.value?.length, 30)
  assert.equal(view.ids.value?.every((id) => state.message(id) !== undefined), true)
  assert.ok(known(1, 30_000) <= 12_000)
  assert.equal(known(25_000, 30_000), 5001) // the newest
  assert.equal(state.unread.in({ kind: 'topic', stream: 7, topic: 't2' }), 30)
  apply(state, { id: 0, type: 'update_message_flags', operation: 'add', flag: 'read', all: false, messages: [2, 1002] } as unknown as ServerEvent, 0)
  assert.equal(state.unread.in({ kind: 'topic', stream: 7, topic: 't2' }), 28)
})

test('the view on screen keeps what is around its place, and is known to lack the rest', () => {
  const { state, arrive, known } = busy()
  const view = state.view([])
  view.ids.value = []
  view.foundOldest.value = view.foundNewest.value = true
  arrive(1, 30_000)
  assert.equal(view.ids.value?.at(-1), 30_000)
  assert.equal(view.foundNewest.value, true)
  assert.equal(view.foundOldest.value, false)
  assert.ok(known(1, 30_000) <= 12_000)
  const place = view.ids.value?.at(-100) ?? 0
  view.lead({ id: place, offset: 0 })
  arrive(30_001, 60_000)
  assert.equal(view.ids.value?.includes(place), true)
  assert.equal(view.ids.value?.every((id) => state.message(id) !== undefined), true)
  assert.equal(view.foundNewest.value, false)
  assert.ok(known(1, 60_000) <= 12_000)
})

test('of the other views, those are fetched again that were used long ago and have too much', () => {
  const { state, arrive, known, topic } = busy()
  const everything = state.view([])
  everything.ids.value = []
  everything.foundOldest.value = everything.foundNewest.value = true
  const [first, second] = [topic('t1'), topic('t2')]
  arrive(1, 30_000)
  assert.notEqual(state.view([]), everything)
  assert.equal(topic('t1'), first)
  assert.equal(topic('t2'), second)
  assert.ok(known(1, 30_000) <= 12_000)
})
