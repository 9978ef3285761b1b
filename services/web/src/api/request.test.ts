import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { call, CallError } from './request'

test('a call without an answer fails like one that reached no server, and may take its time once the answer has begun', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] })
  const { fetch } = globalThis
  t.after(() => {
    mock.timers.reset()
    globalThis.fetch = fetch
  })
  let answer: (response: Response) => void = () => {}
  globalThis.fetch = (_, options) =>
    new Promise((resolve, reject) => {
      answer = resolve
      options?.signal?.addEventListener('abort', () => reject(options.signal?.reason))
    })
  const lost = call('GET /sessions', {})
  mock.timers.tick(30_000)
  await assert.rejects(lost, (error) => error instanceof CallError && error.passes)

  const hashed = call('POST /sessions', { username: 'cleo@harbour.example', password: 'seven cranes' })
  mock.timers.tick(80_000) // the server may wait for its turn and for the hash
  answer(Response.json({ result: 'success', msg: '' }))
  await hashed

  const slow = call('GET /sessions', {})
  mock.timers.tick(29_000)
  let body: ReadableStreamDefaultController | undefined
  answer(new Response(new ReadableStream({ start: (stream) => void (body = stream) })))
  await new Promise(setImmediate)
  mock.timers.tick(60_000)
  body?.enqueue(new TextEncoder().encode('{"sessions":[]}'))
  body?.close()
  assert.deepEqual((await slow).sessions, [])
})

test('an answer that is not the server’s, or breaks off, may be another one later', async (t) => {
  const { fetch } = globalThis
  t.after(() => (globalThis.fetch = fetch))
  const broken = new ReadableStream({ start: (to) => to.error(new TypeError('network error')) })
  for (const answer of [new Response('<h1>Welcome to our network</h1>'), new Response('{"result":"succ'), new Response(broken)]) {
    globalThis.fetch = () => Promise.resolve(answer)
    await assert.rejects(call('GET /sessions', {}), (error) => error instanceof CallError && error.status === 0 && error.passes)
  }
})
