import assert from 'node:assert/strict'
import { mock, test, type TestContext } from 'node:test'
import { State } from '../state/state'
import { Connection } from './connection'

/** A connection to a server whose streams of events are opened, if it answers, and then say nothing. */
function connected(t: TestContext) {
  const { fetch } = globalThis
  const server = { answers: true, ends: false, opened: 0, registered: 0, says: '', account: 1, lost: false, replaced: 0, busy: 0 }
  globalThis.fetch = (address, options) => {
    if (String(address).endsWith('/register')) {
      server.registered++
      return Promise.resolve(Response.json({ queue_id: 'q', last_event_id: -1, user_id: server.account, starred_messages: [] }))
    }
    const cut = (what: (error: Error) => void) => options?.signal?.addEventListener('abort', () => what(new DOMException('', 'AbortError')))
    if (!server.answers) {
      return new Promise((_, reject) => cut(reject))
    }
    if (server.lost) {
      server.lost = false
      return Promise.resolve(Response.json({ code: 'BAD_EVENT_QUEUE_ID' }, { status: 400 }))
    }
    server.opened++
    const stream = { headers: { 'Content-Type': 'text/event-stream' } }
    if (server.replaced > 0) {
      return Promise.resolve(new Response('<h1>Welcome to our network</h1>', { status: server.replaced, headers: { 'Content-Type': 'text/html' } }))
    }
    if (server.busy > 0) {
      return Promise.resolve(Response.json({ msg: 'Later', 'retry-after': server.busy }, { status: 429 }))
    }
    if (server.ends) {
      return Promise.resolve(new Response('retry: 500\n\n', stream))
    }
    const bytes = new TextEncoder().encode(server.says)
    server.says = ''
    return Promise.resolve(new Response(new ReadableStream({ start: (to) => (to.enqueue(bytes), cut((error) => to.error(error))) }), stream))
  }
  mock.timers.enable({ apis: ['setTimeout', 'Date'] })
  const state = new State()
  const connection = new Connection(state, () => {})
  t.after(() => {
    connection.end()
    mock.timers.reset()
    globalThis.fetch = fetch
  })
  void connection.run()
  return { server, connection, state }
}

/** Lets everything happen that waits for nothing but time. */
async function pass(seconds: number) {
  for (let i = 0; i <= seconds; i++) {
    for (let j = 0; j < 5; j++) {
      await new Promise(setImmediate)
    }
    if (i < seconds) {
      mock.timers.tick(1000)
    }
  }
}

test('a server that does not answer is no connection, and is one within seconds after it does', async (t) => {
  const { server, connection } = connected(t)
  await pass(1)
  assert.equal(connection.status.value, 'online')
  server.answers = false
  connection.doubt()
  await pass(20)
  assert.equal(connection.status.value, 'offline')
  await pass(600)
  server.answers = true
  await pass(28)
  assert.equal(connection.status.value, 'online')
})

test('a stream that lacked an event is opened again, and nothing is said about it', async (t) => {
  const { server, connection } = connected(t)
  const said: string[] = []
  connection.status.subscribe((status) => said.push(status))
  await pass(1)
  connection.doubt()
  await pass(2)
  assert.equal(server.opened, 2)
  assert.deepEqual(said, ['starting', 'online'])
})

test('a page that comes back opens the stream again that said nothing for too long, as timers stop while a device sleeps', async (t) => {
  const { server, connection } = connected(t)
  await pass(1)
  mock.timers.setTime(Date.now() + 50_000)
  connection.comeBack()
  await pass(2)
  assert.equal(server.opened, 1)
  mock.timers.setTime(Date.now() + 20_000)
  connection.comeBack()
  await pass(2)
  assert.equal(server.opened, 2)
})

test('streams that end at once are opened again after a pause', async (t) => {
  const { server, connection } = connected(t)
  await pass(1)
  server.ends = true
  connection.doubt()
  await pass(20)
  assert.ok(server.opened > 5 && server.opened < 50, String(server.opened))
  assert.equal(connection.status.value, 'online')
})

for (const status of [200, 401]) {
  test(`a network that answers in place of the server, with ${status}, is no connection, and is asked ever more rarely`, async (t) => {
    const { server, connection } = connected(t)
    await pass(1)
    server.replaced = status
    connection.doubt()
    await pass(120)
    assert.equal(connection.status.value, 'offline')
    assert.ok(server.opened < 25, String(server.opened))
    server.replaced = 0
    await pass(15)
    assert.equal(connection.status.value, 'online')
    assert.equal(server.registered, 1)
  })
}

test('a server that wants to be asked later is not asked before', async (t) => {
  const { server, connection } = connected(t)
  t.mock.method(Math, 'random', () => 0)
  await pass(1)
  server.busy = 60
  connection.doubt()
  await pass(2)
  const { opened } = server
  await pass(57)
  assert.equal(server.opened, opened)
  await pass(5)
  assert.equal(server.opened, opened + 1)
})

test('another registration says where messages are that are unread again and were never fetched', async (t) => {
  const { server, connection } = connected(t)
  await pass(1)
  const bring = async (event: object) => {
    server.says = `data: ${JSON.stringify({ id: 0, type: 'update_message_flags', flag: 'read', messages: [7], all: false, ...event })}\n\n`
    connection.doubt()
    await pass(2)
  }
  await bring({ operation: 'add' })
  assert.equal(server.registered, 1)
  await bring({ operation: 'remove' })
  assert.equal(server.registered, 2)
})

test('an event that can not be applied comes once, and the state is as the server has it', async (t) => {
  const { server, connection } = connected(t)
  const said = t.mock.method(console, 'error', () => {})
  await pass(1)
  server.says = `data: ${JSON.stringify({ id: 3, type: 'message' })}\n\n`
  connection.doubt()
  await pass(10)
  assert.equal(said.mock.callCount(), 1)
  assert.equal(server.registered, 2)
  assert.equal(connection.status.value, 'online')
})

test('what is known of one account is not mixed with what another one sees that is signed in since', async (t) => {
  const { server, connection, state } = connected(t)
  await pass(1)
  server.lost = true
  server.account = 2
  connection.doubt()
  await pass(10)
  assert.equal(connection.status.value, 'replaced')
  assert.equal(state.self.value, 1)
  assert.equal(server.registered, 2)
})
