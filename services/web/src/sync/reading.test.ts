import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { State } from '../state/state'
import { View } from '../state/view'
import { Reading } from './reading'

test('what was seen while the server was away is marked once it is there again, unless the account is signed out by then', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] })
  const { fetch } = globalThis
  t.after(() => {
    mock.timers.reset()
    globalThis.fetch = fetch
  })
  const asked: unknown[] = []
  let status = 502
  globalThis.fetch = (_, options) => {
    asked.push(new URLSearchParams(String(options?.body)).get('messages'))
    return Promise.resolve(new Response('{}', { status }))
  }
  const pass = async (time: number) => {
    mock.timers.tick(time)
    for (let i = 0; i < 20; i++) {
      await Promise.resolve()
    }
  }
  const reading = new Reading()
  reading.saw(new View([]), [3, 4])
  await pass(400)
  assert.deepEqual(asked, ['[3,4]'])
  status = 200
  await pass(5_000)
  assert.deepEqual(asked, ['[3,4]', '[3,4]'])
  await pass(60_000)
  assert.equal(asked.length, 2)

  status = 502
  reading.saw(new View([]), [5])
  await pass(400)
  assert.equal(asked.length, 3)
  status = 200
  reading.end() // by then the session may be another one
  reading.saw(new View([]), [6])
  await pass(60_000)
  assert.equal(asked.length, 3)
})

test('a message that the server refuses keeps no others from being marked', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] })
  const { fetch } = globalThis
  t.after(() => {
    mock.timers.reset()
    globalThis.fetch = fetch
  })
  const marked = new Set<number>()
  let calls = 0
  let refused = (id: number): boolean => id === 77
  let status = 400
  globalThis.fetch = (_, options) => {
    calls++
    const messages = JSON.parse(new URLSearchParams(String(options?.body)).get('messages') ?? '') as number[]
    if (messages.some(refused)) {
      return Promise.resolve(new Response('{"result":"error","msg":"Invalid message(s)"}', { status }))
    }
    messages.forEach((id) => marked.add(id))
    return Promise.resolve(new Response('{}'))
  }
  const pass = async () => {
    mock.timers.tick(400)
    for (let i = 0; i < 2_000; i++) {
      await Promise.resolve()
    }
  }
  const reading = new Reading()
  reading.saw(new View([]), Array.from({ length: 100 }, (_, i) => i + 1))
  await pass()
  assert.equal(marked.size, 99)
  assert.ok(!marked.has(77))

  calls = 0
  refused = () => true
  reading.saw(new View([]), Array.from({ length: 1_000 }, (_, i) => i + 1))
  await pass()
  assert.ok(calls > 20 && calls < 60, `${calls} calls`)

  calls = 0
  status = 401 // the session has ended, which no part of it would change
  reading.saw(new View([]), Array.from({ length: 1_000 }, (_, i) => i + 1))
  await pass()
  assert.equal(calls, 1)
})

test('messages that were never received are not marked as unread', async (t) => {
  const { fetch } = globalThis
  t.after(() => (globalThis.fetch = fetch))
  const asked: unknown[] = []
  const messages = [
    { id: 5, flags: ['read'] },
    { id: 6, flags: ['read', 'historical'] }, // of a time without a subscription
    { id: 7, flags: ['read'] },
  ]
  globalThis.fetch = (_, options) => {
    if (options?.method === 'POST') {
      asked.push(new URLSearchParams(String(options.body)).get('messages'))
    }
    return Promise.resolve(Response.json({ messages, found_newest: true }))
  }
  await new Reading().unreadFrom(new State(), new View([]), 5)
  assert.deepEqual(asked, ['[5,7]'])
})

test('what was marked as unread is not read again because a call before it failed', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] })
  const { fetch } = globalThis
  t.after(() => {
    mock.timers.reset()
    globalThis.fetch = fetch
  })
  const asked: unknown[] = []
  let fail = () => {}
  globalThis.fetch = (_, options) => {
    const op = options?.method === 'POST' ? new URLSearchParams(String(options.body)).get('op') : 'get'
    asked.push(op)
    return op === 'add' ? new Promise((_, lost) => (fail = () => lost(new TypeError()))) : Promise.resolve(Response.json({ messages: [{ id: 5, flags: ['read'] }], found_newest: true }))
  }
  const reading = new Reading()
  const view = new View([])
  reading.saw(view, [5])
  mock.timers.tick(400)
  const unread = reading.unreadFrom(new State(), view, 5)
  await new Promise(setImmediate)
  fail()
  await unread
  await new Promise(setImmediate)
  mock.timers.tick(60_000)
  assert.deepEqual(asked, ['add', 'get', 'remove'])
})
