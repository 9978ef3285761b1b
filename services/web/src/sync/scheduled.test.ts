import assert from 'node:assert/strict'
import { mock, test, type TestContext } from 'node:test'
import { CallError } from '../api/request'
import { cancel } from './scheduled'

/** A server that answers calls with these statuses, 0 for not at all, and what was called. */
function answering(t: TestContext, ...statuses: readonly number[]): readonly string[] {
  const { fetch } = globalThis
  const left = [...statuses]
  const called: string[] = []
  globalThis.fetch = (address, options) => {
    called.push(`${options?.method} ${String(address)}`)
    const status = left.shift() ?? 200
    return status === 0 ? Promise.reject(new TypeError('no network')) : Promise.resolve(Response.json({}, { status }))
  }
  mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 1_000_000 })
  t.after(() => {
    mock.timers.reset()
    globalThis.fetch = fetch
  })
  return called
}

/** Cancels a message that is to be sent in so many seconds. It returns the status of what refused that; undefined: it is cancelled. */
async function cancelled(seconds: number): Promise<number | undefined> {
  let outcome: { readonly status: number | undefined } | undefined
  cancel({ scheduled_message_id: 7, deliver_at: 1_000 + seconds }).then(
    () => (outcome = { status: undefined }),
    (error: unknown) => (outcome = { status: (error as CallError).status }),
  )
  while (outcome === undefined) {
    await new Promise(setImmediate)
    mock.timers.tick(1_000)
  }
  return outcome.status
}

test('a message is cancelled whose first cancelling lost its answer', async (t) => {
  const called = answering(t, 0, 502, 400)
  assert.equal(await cancelled(3_600), undefined)
  assert.deepEqual(called, Array(3).fill('DELETE /api/v1/scheduled_messages/7'))
})

test('a message that was sent by then, or cancelled by somebody else, is not cancelled', async (t) => {
  answering(t, 400, 0, 400, 0, 401)
  assert.equal(await cancelled(3_600), 400)
  assert.equal(await cancelled(1), 400)
  assert.equal(await cancelled(3_600), 401)
})

test('a server that cannot be reached for long is waited for no longer', async (t) => {
  const called = answering(t, ...Array<number>(50).fill(0))
  assert.equal(await cancelled(3_600), 0)
  assert.ok(called.length > 3 && called.length < 10, String(called.length))
})
