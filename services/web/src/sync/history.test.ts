import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { State } from '../state/state'
import { History } from './history'

test('messages are fetched until the server is there again, as long as somebody looks at their view', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] })
  const { fetch } = globalThis
  t.after(() => {
    mock.timers.reset()
    globalThis.fetch = fetch
  })
  let [isThere, isShown, asked] = [false, true, 0]
  globalThis.fetch = () => {
    asked++
    return Promise.resolve(isThere ? Response.json({ messages: [], anchor: 1, found_oldest: true, found_newest: true }) : new Response('', { status: 502 }))
  }
  const pass = async (seconds: number) => {
    for (let i = 0; i < 2 * seconds; i++) {
      mock.timers.tick(500)
      await new Promise(setImmediate)
    }
  }
  const history = new History(new State(), () => isShown)
  const view = await history.open({ narrow: [] })
  await pass(600)
  assert.equal(view.ids.value, undefined)
  isThere = true
  await pass(9)
  assert.deepEqual(view.ids.value, [])

  ;[isThere, isShown, asked] = [false, false, 0]
  await history.open({ narrow: [{ operator: 'is', operand: 'starred' }] })
  await pass(600)
  assert.equal(asked, 6)
})
