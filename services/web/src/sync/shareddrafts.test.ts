import assert from 'node:assert/strict'
import { mock, test, type TestContext } from 'node:test'
import { draftOf, Drafts } from './drafts'
import { SharedDrafts } from './shareddrafts'
import type { Store } from './storage'

type Listed = { type: string; to: number[]; topic: string; content: string; timestamp: number }

/** Answers the calls of drafts as the server does. */
class Server {
  readonly drafts = new Map<number, Listed>()
  readonly called: string[] = []
  /** The statuses of the next calls that change something; others are carried out. */
  statuses: number[] = []
  private last = 0

  constructor(t: TestContext) {
    const { fetch } = globalThis
    globalThis.fetch = (address, options) => {
      const { pathname } = new URL(String(address), 'http://chat')
      return this.answer(`${options?.method}`, Number(/drafts\/(\d+)$/.exec(pathname)?.[1]), options?.body as URLSearchParams | null)
    }
    mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 1_000_000 })
    t.after(() => {
      mock.timers.reset()
      globalThis.fetch = fetch
    })
  }

  private async answer(method: string, id: number, body: URLSearchParams | null): Promise<Response> {
    if (method === 'GET') {
      return Response.json({ count: this.drafts.size, drafts: Object.fromEntries(this.drafts) })
    }
    this.called.push(method)
    const status = this.statuses.shift() ?? (method === 'POST' || this.drafts.has(id) ? 200 : 404)
    if (status !== 200) {
      return Response.json({ result: 'error', msg: 'no' }, { status })
    }
    if (method === 'DELETE') {
      this.drafts.delete(id)
    } else if (method === 'PATCH') {
      this.drafts.set(id, JSON.parse(body?.get('draft') ?? '') as Listed)
    } else {
      this.drafts.set(++this.last, (JSON.parse(body?.get('drafts') ?? '') as Listed[])[0]!)
    }
    return Response.json({ ids: [this.last] })
  }

  contents(): readonly string[] {
    return [...this.drafts.values()].map(({ content }) => content)
  }
}

/** A device of account 1. */
function device(keeps = true): { readonly drafts: Drafts; readonly shared: SharedDrafts } {
  const kept = new Map<string, string>()
  const store = {
    read: (name: string) => JSON.parse(kept.get(name) ?? 'null') ?? undefined,
    write: (name: string, value: unknown) => (value === undefined ? kept.delete(name) : keeps && kept.set(name, JSON.stringify(value))),
    names: (prefix: string) => [...kept.keys()].filter((name) => name.startsWith(prefix)),
    follow: () => {},
  } as unknown as Store
  const drafts = new Drafts(store)
  return { drafts, shared: new SharedDrafts(1, store, drafts, undefined) }
}

const place = { kind: 'topic', stream: 3, topic: 'Tides' } as const
const name = draftOf(place)
const read = ({ drafts }: ReturnType<typeof device>, of = name) => drafts.of(of).peek().content

/** Has calls that were begun end. */
async function settled(): Promise<void> {
  for (let i = 0; i < 50; i++) {
    await new Promise((resolve) => setImmediate(resolve))
  }
}

test('what was typed at one device is there at another, is changed there, and gone once it was sent', async (t) => {
  const server = new Server(t)
  const [desk, phone] = [device(), device()]
  desk.drafts.write(name, { content: 'Low at ', place })
  desk.drafts.write(name, { content: 'Low at noon \n', place })
  desk.drafts.write('draft/@', { content: 'milk', place: { kind: 'private', people: [] } })
  desk.drafts.write('draft/topic', { content: 'where?', draft: { stream: 3, topic: '', people: [] } })
  desk.drafts.write('draft/private', { content: 'who?' })
  desk.drafts.write('edit/7', { content: 'edited', original: 'x' })
  assert.deepEqual(server.called, [])
  mock.timers.tick(10_000)
  await settled()
  assert.deepEqual([...server.drafts.values()].map(({ type, to, topic, content, timestamp }) => [type, to, topic, content, timestamp]), [
    ['stream', [3], 'Tides', 'Low at noon', 1000],
    ['private', [1], '', 'milk', 1000],
    ['', [], '', 'where?', 1000],
    ['private', [], '', 'who?', 1000],
  ])
  await phone.shared.compare()
  assert.deepEqual(phone.drafts.all().map(({ name: of, content, place: at }) => [of, content, at]), [
    [name, 'Low at noon', place],
    ['draft/@', 'milk', { kind: 'private', people: [] }],
    ['draft/topic', 'where?', undefined],
    ['draft/private', 'who?', undefined],
  ])
  phone.drafts.write(name, { content: 'High at six', place })
  await phone.shared.compare()
  await desk.shared.compare()
  assert.equal(read(desk), 'High at six')
  desk.drafts.clear(name)
  mock.timers.tick(1_000)
  await settled()
  await phone.shared.compare()
  assert.equal(read(phone), '')
  assert.equal(server.drafts.size, 3)
  server.called.length = 0
  await phone.shared.compare()
  await desk.shared.compare()
  assert.deepEqual(server.called, [], 'nothing changes where nothing has changed')
})

test('what was typed at both devices stays', async (t) => {
  const server = new Server(t)
  const [desk, phone] = [device(), device()]
  const both = async (own: string, other: string) => {
    desk.drafts.write(name, { content: own, place })
    phone.drafts.write(name, { content: other, place })
    await desk.shared.compare()
    await phone.shared.compare()
    await desk.shared.compare()
    return [read(desk), read(phone), ...server.contents()]
  }
  const same = (text: string) => [text, text, text]
  assert.deepEqual(await both('one', 'two'), same('one\n\ntwo'))
  assert.deepEqual(await both('one, longer', 'one, longer, longest'), same('one, longer, longest'))
  assert.deepEqual(await both('', 'kept'), same('kept'), 'one was sent, the other one has gone on')
  assert.deepEqual(await both('kept, too', ''), same('kept, too'))
  assert.deepEqual(await both('', ''), ['', ''])
})

test('a draft that two devices began at once is one', async (t) => {
  const server = new Server(t)
  for (const [id, content] of ['first', 'second'].entries()) {
    server.drafts.set(90 + id, { type: 'stream', to: [3], topic: 'tides', content, timestamp: id })
  }
  const desk = device()
  await desk.shared.compare()
  assert.equal(read(desk), 'first\n\nsecond')
  assert.deepEqual(server.contents(), ['first\n\nsecond'])
})

test('what the server refuses stays here and is not sent again, and what it is too busy for is tried again', async (t) => {
  const server = new Server(t)
  const desk = device()
  desk.drafts.write(name, { content: 'x', place })
  desk.drafts.write('draft/private', { content: 'y' })
  server.statuses = [400]
  await desk.shared.compare()
  await desk.shared.compare()
  assert.deepEqual([read(desk), server.contents(), server.called], ['x', ['y'], ['POST', 'POST']])
  desk.drafts.write(name, { content: 'x!', place })
  server.statuses = [503]
  await desk.shared.compare()
  assert.deepEqual(server.contents(), ['y'])
  mock.timers.tick(60_000)
  await settled()
  assert.deepEqual(server.contents(), ['y', 'x!'])
})

test('a draft that was sent elsewhere while it is written to is there again', async (t) => {
  const server = new Server(t)
  const desk = device()
  desk.drafts.write(name, { content: 'x', place })
  await desk.shared.compare()
  desk.drafts.write(name, { content: 'xy', place })
  server.statuses = [404]
  await desk.shared.compare()
  server.drafts.clear()
  mock.timers.tick(1_000)
  await settled()
  assert.deepEqual([read(desk), ...server.contents()], ['xy', 'xy'])
})

test('text that a file is yet to come into waits, and a browser that keeps nothing shares nothing', async (t) => {
  const server = new Server(t)
  const [desk, forgetful] = [device(), device(false)]
  desk.drafts.mark(name, '[…]()')
  desk.drafts.write(name, { content: 'See […]()', place })
  forgetful.drafts.write(name, { content: 'x', place })
  await desk.shared.compare()
  await forgetful.shared.compare()
  assert.deepEqual(server.called, [])
  desk.drafts.resolve(name, '[…]()', '[x](/x)')
  await desk.shared.compare()
  await forgetful.shared.compare()
  assert.deepEqual([server.contents(), read(forgetful)], [['See [x](/x)'], 'x'])
})
