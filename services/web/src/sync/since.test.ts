import assert from 'node:assert/strict'
import { test } from 'node:test'
import { firstSince, lastBefore } from './since'

test('the first message since a time is found by few calls', async (t) => {
  const { fetch } = globalThis
  t.after(() => (globalThis.fetch = fetch))
  const all = Array.from({ length: 1000 }, (_, i) => ({ id: 7 * i + 3, timestamp: 100 + Math.floor(i / 3) }))
  let calls = 0
  globalThis.fetch = (address) => {
    calls++
    const anchor = new URL(String(address), 'http://x').searchParams.get('anchor') ?? ''
    const at = all.findIndex((one) => one.id >= Number(anchor))
    const before = new URL(String(address), 'http://x').searchParams.get('num_before') === '1'
    const messages = anchor === 'newest' ? all.slice(-1) : before ? all.slice(Math.max(0, at - 1), at + 1) : at < 0 ? [] : all.slice(at, at + 2)
    return Promise.resolve(Response.json({ messages }))
  }
  for (const time of [0, 100, 101, 250, 433]) {
    assert.equal(await firstSince([], time), all.find((one) => one.timestamp >= time)?.id)
  }
  for (const time of [0, 100, 101, 434, 500]) {
    assert.equal(await lastBefore([], time), all.findLast((one) => one.timestamp < time)?.id)
  }
  assert.equal(await firstSince([], 434), undefined)
  assert.ok(calls < 11 * 16, `${calls} calls`)
  all.length = 0
  assert.equal(await firstSince([], 0), undefined)
  assert.equal(await lastBefore([], 0), undefined)
})
