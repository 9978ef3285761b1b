import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { CallError } from '../api/request'
import { whileBusy } from './busy'

const busy = new CallError('Too many people are signing in at the moment.', 503, 'SERVICE_UNAVAILABLE', 1)

/** Makes a call that fails with these errors, one after the other, before it succeeds. Returns the result, how often it was made, and how often it waited. */
async function made(...errors: readonly CallError[]) {
  mock.timers.enable({ apis: ['setTimeout'] })
  try {
    let [calls, waits] = [0, 0]
    const make = async () => {
      const error = errors[calls++]
      if (error !== undefined) {
        throw error
      }
      return 'done'
    }
    let result: unknown
    whileBusy(make, () => waits++).then((value) => (result = value), (error: unknown) => (result = error))
    for (let i = 0; i < 10 && result === undefined; i++) {
      await new Promise((resolve) => setImmediate(resolve))
      mock.timers.tick(60_000)
    }
    return { result, calls, waits }
  } finally {
    mock.timers.reset()
  }
}

test('what a busy server refuses is asked for again, some times', async () => {
  assert.deepEqual(await made(busy, busy), { result: 'done', calls: 3, waits: 2 })
  assert.deepEqual(await made(busy, busy, busy, busy, busy), { result: busy, calls: 4, waits: 3 })
})

test('what fails otherwise is not asked for again', async () => {
  const down = new CallError('Signing in isn’t possible at the moment.', 503, 'SERVICE_UNAVAILABLE', 0)
  const tooMany = new CallError('Too many tries', 429, 'RATE_LIMIT_HIT', 60)
  for (const error of [down, tooMany]) {
    assert.deepEqual(await made(error), { result: error, calls: 1, waits: 0 })
  }
})
