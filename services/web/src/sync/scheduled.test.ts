import assert from 'node:assert/strict'
import { mock, test, type TestContext } from 'node:test'
import { CallError } from '../api/request'
import { Schedule, type Scheduled } from './scheduled'

/**
 * What happens to a call: it is carried out; it is, but its answer is lost; it doesn't arrive; it doesn't arrive, and meanwhile all that waits is sent;
 * or it is refused with a status.
 */
type Fault = 'done' | 'lost' | 'unreached' | 'late' | number

/** When messages are due, in Unix seconds. The clock of the client is slow. */
const due = 1_000_000
const clock = due - 3_600

/** A server with a message that is going to be sent, number 7. */
class Server {
  readonly called: string[] = []
  /** What happens to the next calls; others are carried out. */
  faults: Fault[] = []
  readonly sent: { readonly content: string; readonly timestamp: number }[] = []
  waiting: Scheduled[] = [{ scheduled_message_id: 7, type: 'stream', stream_id: 3, topic: 'tides', content: 'Low at noon', deliver_at: due, reminder: false }]
  private last = 7

  constructor(t: TestContext) {
    const { fetch } = globalThis
    globalThis.fetch = (address, options) => {
      const { pathname } = new URL(String(address), 'http://chat')
      return this.answer(`${options?.method} ${pathname.replace('/api/v1', '')}`, options?.body as URLSearchParams)
    }
    mock.timers.enable({ apis: ['setTimeout', 'Date'], now: clock * 1_000 })
    t.after(() => {
      mock.timers.reset()
      globalThis.fetch = fetch
    })
  }

  private answer(name: string, body: URLSearchParams): Promise<Response> {
    this.called.push(name)
    const fault = this.faults.shift() ?? 'done'
    if (fault === 'late') {
      this.sent.push(...this.waiting.splice(0).map(({ content }) => ({ content, timestamp: due })))
    }
    const status = typeof fault === 'number' ? fault : 200
    const reply = fault === 'done' || fault === 'lost' ? this.carryOut(name, body) : { result: 'error' }
    return fault === 'done' || typeof fault === 'number'
      ? Promise.resolve(Response.json(reply ?? {}, { status: reply === undefined ? 400 : status }))
      : Promise.reject(new TypeError('no network'))
  }

  /** undefined: it is refused. */
  private carryOut(name: string, body: URLSearchParams): object | undefined {
    const [method, path = ''] = name.split(' ')
    if (method === 'GET') {
      return path === '/messages' ? { messages: this.sent } : { scheduled_messages: this.waiting }
    }
    if (method === 'POST') {
      const [stream = 0] = JSON.parse(body.get('to') ?? '[]') as readonly number[]
      const deliver_at = Math.floor(Date.parse(body.get('deliver_at') ?? '') / 1000)
      this.waiting.push({
        scheduled_message_id: ++this.last, type: 'stream', stream_id: stream, topic: body.get('topic') ?? '', content: body.get('content') ?? '', deliver_at,
        reminder: body.get('delivery_type') === 'remind',
      })
      return { deliver_at }
    }
    const left = this.waiting.filter((one) => path !== `/scheduled_messages/${one.scheduled_message_id}`)
    const isThere = left.length < this.waiting.length
    this.waiting = left
    return isThere ? {} : undefined
  }
}

/** Does something while time passes. It returns the status of what refused that; undefined: nothing did. */
async function outcome(what: Promise<unknown>): Promise<number | undefined> {
  let ended: { readonly status: number | undefined } | undefined
  what.then(
    () => (ended = { status: undefined }),
    (error: unknown) => (ended = { status: (error as CallError).status }),
  )
  while (ended === undefined) {
    await new Promise(setImmediate)
    mock.timers.tick(1_000)
  }
  return ended.status
}

/** Returns a schedule, and the message that it has. */
async function opened() {
  const schedule = new Schedule(1)
  const [one] = await schedule.list()
  assert.ok(one)
  return { schedule, one }
}

test('a message is cancelled whose first cancelling lost its answer', async (t) => {
  const server = new Server(t)
  const { schedule, one } = await opened()
  server.sent.push({ content: one.content, timestamp: due - 7 * 86_400 }) // as every week
  server.called.length = 0
  server.faults = ['lost', 502]
  assert.equal(await outcome(schedule.cancel(one)), undefined)
  assert.deepEqual(server.called, [...Array<string>(3).fill('DELETE /scheduled_messages/7'), 'GET /messages'])
})

test('a message that was sent by then, or cancelled elsewhere, is not cancelled', async (t) => {
  const server = new Server(t)
  const { schedule, one } = await opened()
  server.faults = [401]
  assert.equal(await outcome(schedule.cancel(one)), 401)
  server.faults = ['late']
  assert.equal(await outcome(schedule.cancel(one)), 400, 'it was sent while the line was bad, whatever the clock of the client says')
  server.waiting = []
  server.sent.length = 0
  const other = await new Schedule(1).cancel(one).catch((error: CallError) => error.status)
  assert.equal(other, 400, 'who cancels it elsewhere may want it otherwise')
})

test('a server that cannot be reached for long is waited for no longer, and what it did is found out later', async (t) => {
  const server = new Server(t)
  const { schedule, one } = await opened()
  server.called.length = 0
  server.faults = ['lost', ...Array<Fault>(9).fill('unreached')]
  assert.equal(await outcome(schedule.cancel(one)), 0)
  assert.ok(server.called.length > 3 && server.called.length < 10, String(server.called.length))
  server.faults = []
  assert.equal(await outcome(schedule.cancel(one)), undefined)
})

test('a message that is scheduled again, as there was no answer, waits once, for the time that was wanted last', async (t) => {
  const server = new Server(t)
  const schedule = new Schedule(1)
  const add = (seconds: number) => outcome(schedule.add({ kind: 'topic', stream: 3, topic: 'tides' }, 'Low at one', new Date((due + seconds) * 1000 + 345), false))
  server.waiting = []
  server.faults = ['lost']
  assert.equal(await add(60), 0)
  assert.equal(await add(60), undefined)
  server.faults = ['lost']
  assert.equal(await add(120), 0)
  assert.equal(await add(180), undefined)
  assert.deepEqual(server.waiting.map(({ deliver_at }) => deliver_at), [due + 60, due + 180])
})

test('a message is changed once, although the answer is lost', async (t) => {
  const server = new Server(t)
  const { schedule, one } = await opened()
  const at = new Date((due + 60) * 1000)
  server.faults = ['lost']
  assert.equal(await outcome(schedule.change(one, 'Low at one', at)), 0)
  assert.equal(server.waiting.length, 2)
  assert.equal(await outcome(schedule.change(one, 'Low at one ', at)), undefined)
  assert.deepEqual(server.waiting.map(({ content, deliver_at }) => [content, deliver_at]), [['Low at one', due + 60]])
})

/** What may come between a change, whose first call fetches the list, and its end. */
const unfinished: Readonly<Record<string, readonly Fault[]>> = {
  'whose answer was lost': ['done', 'lost'],
  'that could cancel nothing': ['done', 'done', ...Array<Fault>(6).fill('unreached')],
}

for (const [which, faults] of Object.entries(unfinished)) {
  test(`what is left of a change ${which} goes with the next one`, async (t) => {
    const server = new Server(t)
    const { schedule, one } = await opened()
    const change = (content: string, seconds: number) => outcome(schedule.change(one, content, new Date((due + seconds) * 1000)))
    const left = () => server.waiting.map(({ scheduled_message_id: id, content }) => `${id}: ${content}`)
    server.waiting.push({ ...one, scheduled_message_id: 6, content: 'Low at one', deliver_at: due + 60 }) // it has nothing to do with it
    server.faults = [400]
    assert.equal(await change('', 60), 400)
    server.faults = [...faults]
    assert.equal(await change('Low at one', 60), 0)
    server.faults = ['done', 'done', 'done', ...Array<Fault>(6).fill('unreached')]
    assert.equal(await change('Low at two', 120), 0)
    assert.deepEqual(left(), ['6: Low at one', '8: Low at one', '9: Low at two'])
    assert.equal(await change('Low at two', 120), undefined)
    assert.deepEqual(left(), ['6: Low at one', '9: Low at two'])
  })
}
