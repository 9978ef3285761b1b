import assert from 'node:assert/strict'
import { test } from 'node:test'
import { firstSince } from './since'

test('the first message since a time is found by few calls', async (t) => {
  const { fetch } = globalThis
  t.after(() => (globalThis.fetch = fetch))
  const all = Array.from({ length: 1000 }, (_, i) => ({ id: 7 * i + 3, timestamp: 100 + Math.floor(i / 3) }))
  let calls = 0
  globalThis.fetch = (address) => {
    calls++
    const anchor = new URL(String(address), 'http://x').searchParams.get('anchor') ?? ''
    const messages = anchor === 'newest' ? all.slice(-1) : all.filter((one) => one.id >= Number(anchor)).slice(0, 2)
    return Promise.resolve(Response.json({ messages }))
  }
  for (const time of [0, 100, 101, 250, 433]) {
    assert.equal(await firstSince([], time), all.find((one) => one.timestamp >= time)?.id)
  }
  assert.equal(await firstSince([], 434), undefined)
  assert.ok(calls < 6 * 16, `${calls} calls`)
  all.length = 0
  assert.equal(await firstSince([], 0), undefined)
})
