import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { CallError } from '../api/request'
import type { Schedule, Scheduled } from './scheduled'
import { Waiting } from './waiting'

test('what waits is counted, again once it was due, and not after the end', async (t) => {
  mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 1_000_000 })
  t.after(() => mock.timers.reset())
  let listed: readonly { readonly deliver_at: number }[] = [{ deliver_at: 1_060 }, { deliver_at: 9_000 }]
  let asked = 0
  let reached = true
  const list = async () => {
    asked++
    if (!reached) {
      throw new CallError('gone', 0, '', 0)
    }
    return listed as readonly Scheduled[]
  }
  const waiting = new Waiting({ list } as unknown as Schedule)
  await waiting.look()
  assert.equal(waiting.count.value, 2)
  mock.timers.tick(60_000)
  assert.equal(asked, 1)
  listed = listed.slice(1)
  mock.timers.tick(15_000)
  await Promise.resolve()
  await Promise.resolve()
  assert.deepEqual([asked, waiting.count.value], [2, 1])
  reached = false
  await waiting.look()
  assert.equal(waiting.count.value, 1)
  reached = true
  await waiting.look()
  waiting.end()
  mock.timers.tick(10_000_000)
  assert.equal(asked, 4)
})
