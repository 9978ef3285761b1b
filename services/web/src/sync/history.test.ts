import assert from 'node:assert/strict'
import { mock, test, type TestContext } from 'node:test'
import { State } from '../state/state'
import { apply } from '../state/events/apply'
import type { ServerEvent } from '../api/schema'
import type { Registration } from '../state/model'
import { History } from './history'

const stored = { id: 5, timestamp: 5, type: 'stream', sender_id: 2, stream_id: 7, subject: 'tea', display_recipient: 'general', reactions: [], submessages: [], flags: [] }

/** A history whose server answers as it says, each time after something happens. */
function answered(t: TestContext, answers: readonly { readonly messages: readonly object[]; readonly meanwhile?: (state: State) => void }[]) {
  const { fetch } = globalThis
  t.after(() => (globalThis.fetch = fetch))
  const state = new State()
  const asked: string[] = []
  globalThis.fetch = (address) => {
    const { messages, meanwhile } = answers[asked.length] ?? { messages: [] }
    asked.push(String(address))
    meanwhile?.(state)
    return Promise.resolve(Response.json({ messages, anchor: String(address).includes('anchor=newest') ? 1e16 : 1, found_oldest: true, found_newest: true }))
  }
  return { state, history: new History(state, () => true), asked }
}

function happen(state: State, event: object): void {
  apply(state, { id: 1, ...event } as unknown as ServerEvent, 0)
}

const registration = { queue_id: 'q', user_id: 1, starred_messages: [], subscriptions: [{ stream_id: 7, name: 'general' }] } as unknown as Registration

test('an answer that is older than an event about its messages is fetched again', async (t) => {
  const edit = { type: 'update_message', message_id: 5, message_ids: [5], flags: [], edit_timestamp: 6, content: 'new', rendered_content: 'new' }
  const { state, history, asked } = answered(t, [
    { messages: [{ ...stored, content: 'old' }, { ...stored, id: 4 }], meanwhile: (s) => (happen(s, edit), happen(s, { type: 'delete_message', message_ids: [4], message_type: 'stream', stream_id: 7, topic: 'tea' })) },
    { messages: [{ ...stored, content: 'new' }], meanwhile: (s) => happen(s, { type: 'reaction', op: 'add', message_id: 99, user_id: 2 }) },
  ])
  state.fill(registration)
  const view = await history.open({ narrow: [] })
  assert.deepEqual(view.ids.value, [5])
  assert.equal(state.message(5)?.value.content, 'new')
  assert.equal(asked.length, 2)
})

test('what was sent and changed in a stream without its events is there when somebody comes back, or is subscribed', async (t) => {
  const docks = { ...stored, stream_id: 8 }
  const { state, history } = answered(t, [
    { messages: [{ ...docks, content: 'old' }] },
    { messages: [{ ...docks, content: 'new' }, { ...docks, id: 9 }] },
    { messages: [{ ...docks, content: 'newer' }, { ...docks, id: 9 }] },
    { messages: [{ ...docks, content: 'of an answer that is late' }] },
  ])
  state.fill(registration)
  const to = { narrow: [{ operator: 'stream', operand: 8 }] } as const
  await history.open(to)
  const view = await history.open(to)
  assert.deepEqual([view.ids.value, state.message(5)?.value.content], [[5, 9], 'new'])
  happen(state, { type: 'subscription', op: 'add', subscriptions: [{ stream_id: 8, name: 'docks', subscribers: [1] }] })
  assert.deepEqual(state.lacking.value, [view])
  await history.again(view)
  assert.equal(state.message(5)?.value.content, 'newer')
  await history.again(view)
  assert.equal(state.message(5)?.value.content, 'newer') // events keep it now
})

test('a message that comes while the messages of its view are fetched again stays there', async (t) => {
  const { state, history } = answered(t, [
    { messages: [stored] },
    { messages: [{ ...stored, id: 4 }, stored], meanwhile: (s) => [9, 10].forEach((id) => happen(s, { type: 'message', flags: [], message: { ...stored, id } })) },
    { messages: [{ ...stored, id: 4 }, { ...stored, id: 10 }], meanwhile: (s) => happen(s, { type: 'delete_message', message_ids: [9], message_type: 'stream', stream_id: 7, topic: 'tea' }) },
  ])
  state.fill(registration)
  const view = await history.open({ narrow: [] })
  await history.again(view)
  assert.deepEqual(view.ids.value, [4, 5, 9, 10])
  await history.again(view) // 5 was moved away before somebody could hear of it
  assert.deepEqual(view.ids.value, [4, 10])
})

test('a message that waited and turns out to be elsewhere stays there', async (t) => {
  const { state, history } = answered(t, [{ messages: [{ ...stored, flags: ['starred'] }] }, { messages: [{ ...stored, id: 9, stream_id: 8, flags: ['starred'] }] }, { messages: [stored] }])
  state.fill(registration)
  const view = await history.open({ narrow: [{ operator: 'stream', operand: 7 }, { operator: 'is', operand: 'starred' }] })
  view.foundNewest.value = false
  happen(state, { type: 'update_message_flags', operation: 'add', flag: 'starred', messages: [9], all: false })
  assert.deepEqual([...view.waiting], [9])
  await history.open({ narrow: [] })
  await history.newer(view)
  assert.deepEqual(view.ids.value, [5])
})

test('older messages join those that are known only while none between are cut off, and a view that was cut is opened at its first unread message', async (t) => {
  const { state, history, asked } = answered(t, [
    { messages: [{ ...stored, id: 20 }, { ...stored, id: 21 }, { ...stored, id: 22 }] },
    { messages: [{ ...stored, id: 19 }], meanwhile: () => (view.lead(undefined), view.cut(2)) },
    { messages: [{ ...stored, id: 20 }] },
  ])
  state.fill(registration)
  const view = await history.open({ narrow: [] })
  view.foundOldest.value = false
  await history.older(view)
  assert.deepEqual(view.ids.value, [21, 22])
  assert.equal(view.foundOldest.value, false)
  await history.open({ narrow: [] })
  assert.match(asked[2] ?? '', /first_unread/)
})

test('after another registration, a view that was on screen has its messages again, and what came meanwhile in their order', async (t) => {
  const fetched = (ids: readonly number[], flags: readonly string[] = []) => ids.map((id) => ({ ...stored, id, flags }))
  const { state, history, asked } = answered(t, [
    { messages: fetched([20, 21, 22], ['read']) },
    { messages: fetched([21, 22], ['read']), meanwhile: (s) => happen(s, { type: 'message', flags: ['read'], message: { ...stored, id: 30 } }) },
    { messages: [...fetched([22, 30], ['read']), ...fetched([31, 32])] },
    { messages: [] },
  ])
  state.fill(registration)
  const view = await history.open({ narrow: [] })
  view.lead({ id: 21, offset: 7 })
  view.selected.value = 20
  state.fill(registration)
  const renewed = history.renew(view)
  assert.equal(state.view([]), view)
  assert.deepEqual(view.ids.value, [20, 21, 22])
  await renewed
  assert.match(asked[1] ?? '', /anchor=21&/)
  assert.deepEqual([view.ids.value, view.position, view.selected.value], [[21, 22, 30], { id: 21, offset: 7 }, 20]) // 20 was deleted

  view.lead(undefined)
  state.fill(registration)
  await history.renew(view)
  assert.match(asked[2] ?? '', /anchor=30&/)
  assert.deepEqual([view.ids.value, view.position?.id, view.firstUnread.value], [[22, 30, 31, 32], 31, 31])

  state.fill(registration)
  state.renew(view)
  await history.open({ narrow: [] }) // somebody comes back to it before its messages were fetched
  assert.deepEqual(view.ids.value, [])
})

test('what is fetched of a topic that gets another name meanwhile is fetched by that', async (t) => {
  const rename = { type: 'update_message', message_id: 5, message_ids: [4, 5], stream_id: 7, orig_subject: 'tea', subject: 'coffee', flags: [], propagate_mode: 'change_all', topic_links: [] }
  const { state, history, asked } = answered(t, [{ messages: [stored] }, { messages: [], meanwhile: (s) => happen(s, rename) }, { messages: [{ ...stored, id: 4, subject: 'coffee' }, { ...stored, subject: 'coffee' }] }])
  state.fill(registration)
  state.topics.value = new Map([[7, [{ name: 'tea', max_id: 5 }]]])
  const view = await history.open({ narrow: [{ operator: 'stream', operand: 7 }, { operator: 'topic', operand: 'tea' }] })
  view.foundOldest.value = false
  await history.older(view)
  assert.deepEqual(view.ids.value, [4, 5])
  assert.match(asked[2] ?? '', /coffee/)
})

test('an answer from before a registration is nothing', async (t) => {
  const { state, history } = answered(t, [{ messages: [{ ...stored, content: 'old' }], meanwhile: (s) => s.fill(registration) }, { messages: [{ ...stored, content: 'new' }] }])
  state.fill(registration)
  await history.open({ narrow: [] })
  assert.equal(state.message(5), undefined)
  await history.open({ narrow: [] })
  assert.equal(state.message(5)?.value.content, 'new')
})

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

test('a search begins with the newest messages, and is where it was left when somebody comes back', async (t) => {
  const { state, history, asked } = answered(t, [{ messages: [{ ...stored, content: 'tea' }] }])
  state.fill(registration)
  for (const narrow of [[{ operator: 'search', operand: 'tea' }], [{ operator: 'stream', operand: 7 }, { operator: 'has', operand: 'link' }], [{ operator: 'is', operand: 'private', negated: true }]] as const) {
    const view = await history.open({ narrow })
    assert.match(asked.at(-1) ?? '', /anchor=newest/)
    assert.equal(view.position, undefined)
  }
  const view = await history.open({ narrow: [{ operator: 'search', operand: 'tea' }] })
  assert.deepEqual([asked.length, view.position], [3, undefined])
})

test('a view that is on screen leads to a message that it lacks once it has that', async (t) => {
  const led: (readonly number[] | undefined)[] = []
  const { state, history } = answered(t, [{ messages: [stored] }, { messages: [{ ...stored, id: 905 }] }])
  state.fill(registration)
  const view = await history.open({ narrow: [] })
  view.led.subscribe(() => led.push(view.ids.peek()))
  await history.open({ narrow: [], near: 905 })
  assert.deepEqual(led.slice(1), [[905]])
  assert.deepEqual([view.position?.id, view.selected.value], [905, 905])
})
