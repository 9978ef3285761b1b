import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { CallError } from '../api/request'
import type { Place } from '../state/conversation'
import { Outbox } from './outbox'
import type { Store } from './storage'

const none = { read: () => undefined, write: () => {} } as unknown as Store
const place: Place = { kind: 'topic', stream: 1, topic: 'tides' }

/** A server that stores what is sent, of which some replies are lost. */
function server() {
  const made = {
    stored: [] as { id: number; content: string }[],
    reached: true,
    /** What is stored without a reply. */
    lost: new Set<string>(),
    sent: [] as string[],
    missed: 0,
    /** The contents at which it fails. */
    broken: new Set<string>(),
    /** Whether it fails at all that it is asked. */
    ill: false,
  }
  const post = {
    send: async ({ content }: { readonly content: string }) => {
      made.sent.push(content)
      if (content === 'bad') {
        throw new CallError('refused', 400, '', 0)
      }
      if (made.ill || made.broken.has(content)) {
        throw new CallError('broken', 500, '', 0)
      }
      const lost = made.lost.delete(content)
      if (made.reached || lost) {
        made.stored.push({ id: made.stored.length + 1, content: `${content}\n` })
      }
      if (!made.reached || lost) {
        throw new CallError('gone', 0, '', 0)
      }
      return made.stored.length
    },
    own: async (_: Place, after: number) => {
      if (!made.reached) {
        throw new CallError('gone', 0, '', 0)
      }
      if (made.ill) {
        throw new CallError('ill', 503, '', 0)
      }
      return made.stored.filter((one) => one.id > after)
    },
    fetch: async () => {},
    missed: () => {
      made.missed++
    },
    newest: () => 0,
  }
  return { made, post }
}

/** Lets everything happen that waits for nothing but time. */
async function pass(seconds: number) {
  for (let i = 0; i < seconds; i++) {
    for (let j = 0; j < 20; j++) {
      await Promise.resolve()
    }
    mock.timers.tick(1000)
  }
  for (let j = 0; j < 20; j++) {
    await Promise.resolve()
  }
}

test('messages that failed while the server was away are sent once, in their order', async (t) => {
  mock.timers.enable({ apis: ['setTimeout', 'Date'] })
  t.after(() => mock.timers.reset())
  const { made, post } = server()
  const outbox = new Outbox(none, post, undefined)
  made.reached = false
  made.lost.add('one')
  outbox.send(place, 'one') // the server has it, but the reply was lost
  outbox.send(place, 'two')
  await pass(1)
  outbox.send(place, 'one') // meant to be said twice
  await pass(20)
  assert.deepEqual(outbox.pending.value.map((p) => [p.content, p.failed, p.waits]), [['one', 'gone', true], ['two', undefined, true], ['one', undefined, true]])
  made.reached = true
  await pass(60)
  assert.deepEqual(made.stored.map((one) => one.content), ['one\n', 'two\n', 'one\n'])
  assert.deepEqual(outbox.pending.value, [])
})

test('a message that is lost on its way is not overtaken by the next one', async (t) => {
  mock.timers.enable({ apis: ['setTimeout', 'Date'] })
  t.after(() => mock.timers.reset())
  const { made, post } = server()
  let lose = (_: Error) => {}
  const send = (message: { readonly content: string }) => (message.content === 'one' && made.sent.length === 0 ? (made.sent.push('one'), new Promise<number>((_, lost) => (lose = lost))) : post.send(message))
  const outbox = new Outbox(none, { ...post, send }, undefined)
  outbox.send(place, 'one')
  outbox.send(place, 'two')
  await pass(3)
  assert.deepEqual(outbox.pending.value.map((p) => [p.content, p.failed]), [['one', undefined], ['two', undefined]])
  lose(new CallError('gone', 0, '', 0))
  await pass(20)
  assert.deepEqual(made.stored.map((one) => one.content), ['one\n', 'two\n'])
  assert.deepEqual(outbox.pending.value, [])
})

test('what was refused in one window is kept, whatever another one sends', async (t) => {
  mock.timers.enable({ apis: ['setTimeout', 'Date'] })
  t.after(() => mock.timers.reset())
  let kept: unknown
  const store = { read: () => kept, write: (_: string, value: unknown) => (kept = value) } as unknown as Store
  const { post } = server()
  const [one, other] = [new Outbox(store, post, undefined), new Outbox(store, post, undefined)]
  one.send(place, 'bad')
  await pass(1)
  other.send(place, 'good')
  await pass(10)
  const later = new Outbox(store, post, undefined)
  later.restore()
  assert.deepEqual(later.pending.value.map((p) => p.content), ['bad'])
  one.drop(one.pending.value[0]?.localID ?? '')
  assert.equal(kept, undefined)
})

/** The locks of a browser, of which each is held once. */
function browser(): LockManager {
  const held = new Set<string>()
  const request = async (name: string, _: LockOptions, callback: () => unknown) => {
    if (held.has(name)) {
      return new Promise(() => {})
    }
    held.add(name)
    await callback()
    return held.delete(name)
  }
  return { request } as unknown as LockManager
}

test('what a window sends is its own as long as it is open, and then that of one alone', async (t) => {
  mock.timers.enable({ apis: ['setTimeout', 'Date'] })
  t.after(() => mock.timers.reset())
  let kept: unknown
  const store = { read: () => kept, write: (_: string, value: unknown) => (kept = value) } as unknown as Store
  const { post } = server()
  const locks = browser()
  const opened = (send = post.send) => {
    const outbox = new Outbox(store, { ...post, send }, locks)
    outbox.restore()
    return outbox
  }
  const unanswered = () => new Promise<number>(() => {})
  const one = opened(unanswered)
  one.send(place, 'on its way')
  await pass(1)
  const other = opened()
  await pass(1)
  other.send(place, 'good')
  await pass(10)
  assert.deepEqual(other.pending.value, [])
  one.drop(one.pending.value[0]?.localID ?? '', 7)
  assert.equal(kept, undefined)
  one.send(place, 'left')
  await pass(1)
  one.end()
  await pass(1)
  const [heir, late] = [opened(), opened()]
  await pass(1)
  assert.deepEqual(heir.pending.value.map((p) => [p.content, typeof p.failed]), [['left', 'string']])
  assert.deepEqual(late.pending.value, [])
})

test('whoever is signed out sends nothing more, and has it again the next time', async (t) => {
  mock.timers.enable({ apis: ['setTimeout', 'Date'] })
  t.after(() => mock.timers.reset())
  let kept: unknown
  const store = { read: () => kept, write: (_: string, value: unknown) => (kept = value) } as unknown as Store
  const { made, post } = server()
  made.reached = false
  const waiting = new Outbox(store, post, undefined)
  const asking: Outbox = new Outbox(none, { ...post, own: async () => (asking.end(), []) }, undefined)
  for (const outbox of [waiting, asking]) {
    outbox.send(place, 'one')
    outbox.send(place, 'two')
  }
  await pass(1)
  waiting.end()
  made.reached = true
  await pass(60)
  waiting.hurry()
  await pass(60)
  assert.deepEqual(made.stored, [])
  const later = new Outbox(store, post, undefined)
  later.restore()
  assert.deepEqual(later.pending.value.map((p) => p.content), ['one', 'two'])
})

test('a message at which the server fails holds back those of its conversation for a minute, and no others', async (t) => {
  mock.timers.enable({ apis: ['setTimeout', 'Date'] })
  t.after(() => mock.timers.reset())
  const { made, post } = server()
  const outbox = new Outbox(none, post, undefined)
  const other: Place = { kind: 'private', people: [7] }
  const stored = () => made.stored.map((one) => one.content)
  made.broken.add('first')
  outbox.send(place, 'first')
  outbox.send(place, 'second')
  outbox.send(other, 'elsewhere')
  await pass(1)
  assert.deepEqual(stored(), ['elsewhere\n'])
  await pass(50)
  assert.deepEqual(stored(), ['elsewhere\n'])
  await pass(25)
  assert.deepEqual(stored(), ['elsewhere\n', 'second\n'])
  assert.deepEqual(outbox.pending.value.map((p) => [p.content, p.failed, p.waits]), [['first', 'broken', undefined]])
  const tries = made.sent.length
  await pass(300)
  assert.equal(made.sent.length, tries)
  outbox.again(outbox.pending.value[0]?.localID ?? '')
  await pass(30)
  assert.equal(outbox.pending.value[0]?.waits, true)
  made.broken.clear()
  await pass(15)
  assert.deepEqual(stored(), ['elsewhere\n', 'second\n', 'first\n'])
})

test('messages wait for a server that fails at everything, and are then sent in their order', async (t) => {
  mock.timers.enable({ apis: ['setTimeout', 'Date'] })
  t.after(() => mock.timers.reset())
  const { made, post } = server()
  const outbox = new Outbox(none, post, undefined)
  made.ill = true
  outbox.send(place, 'first')
  outbox.send(place, 'second')
  await pass(600)
  assert.deepEqual(made.sent, ['first'])
  made.ill = false
  await pass(11)
  assert.deepEqual(made.stored.map((one) => one.content), ['first\n', 'second\n'])
})

test('a message waits no more than seconds for a server that is there again', async (t) => {
  mock.timers.enable({ apis: ['setTimeout', 'Date'] })
  t.after(() => mock.timers.reset())
  const { made, post } = server()
  const outbox = new Outbox(none, post, undefined)
  made.reached = false
  outbox.send(place, 'one')
  await pass(560)
  made.reached = true
  await pass(11)
  assert.deepEqual(made.stored.map((one) => one.content), ['one\n'])
})

test('an event that does not come is noticed once its message is shown without it', async (t) => {
  mock.timers.enable({ apis: ['setTimeout', 'Date'] })
  t.after(() => mock.timers.reset())
  const { made, post } = server()
  const outbox = new Outbox(none, post, undefined)
  outbox.send(place, 'brought')
  outbox.send(place, 'missed')
  await pass(1)
  outbox.drop(outbox.pending.value[0]?.localID ?? '', 1)
  await pass(6)
  assert.equal(made.missed, 1)
  assert.deepEqual(outbox.pending.value, [])
})

test('what was refused, and what is old, waits for a click', async (t) => {
  mock.timers.enable({ apis: ['setTimeout', 'Date'] })
  t.after(() => mock.timers.reset())
  const { made, post } = server()
  const outbox = new Outbox(none, post, undefined)
  outbox.send(place, 'bad')
  made.reached = false
  outbox.send(place, 'late')
  await pass(3700)
  made.reached = true
  await pass(70)
  assert.deepEqual(outbox.pending.value.map((p) => [p.content, p.failed, p.waits]), [['bad', 'refused', undefined], ['late', 'gone', undefined]])
  outbox.again(outbox.pending.value[1]?.localID ?? '')
  await pass(6)
  assert.deepEqual(outbox.pending.value.map((p) => p.content), ['bad'])
  assert.deepEqual(made.stored.map((one) => one.content), ['late\n'])
})

test('what was left when the page was is found at the server before it is sent again', async (t) => {
  mock.timers.enable({ apis: ['setTimeout', 'Date'] })
  t.after(() => mock.timers.reset())
  const { made, post } = server()
  const kept = [{ localID: 'a', place, content: 'left', time: 0, after: 0 }, { localID: 'b', place, content: 'other', time: 0, after: 0, failed: 'gone', waits: true }]
  const outbox = new Outbox({ ...none, read: () => kept } as unknown as Store, post, undefined)
  made.stored.push({ id: 1, content: 'left' })
  outbox.restore()
  await pass(10)
  assert.deepEqual(made.sent, [])
  outbox.again('a')
  await pass(1)
  assert.deepEqual(outbox.pending.value.map((p) => p.content), ['other'])
  outbox.again('b')
  await pass(6)
  assert.deepEqual(outbox.pending.value, [])
  assert.deepEqual(made.sent, ['other'])
})
