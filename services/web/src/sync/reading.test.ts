import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
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
