import assert from 'node:assert/strict'
import { test } from 'node:test'
import { widgetOf as read, type Poll, type Todo } from './widget'

const author = 1
const other = 2

/** The widget of a message that says nothing but a command. */
function widgetOf(message: Parameters<typeof read>[0]) {
  return read(message, () => '')
}

/** A message of the author with parts, each with who wrote it and what it says. */
function message(...parts: readonly (readonly [number, unknown])[]) {
  return {
    sender_id: author,
    submessages: parts.map(([by, says], i) => ({ id: i, message_id: 9, sender_id: by, msg_type: 'widget', content: typeof says === 'string' ? says : JSON.stringify(says) })),
  }
}

const tea = [author, { widget_type: 'poll', extra_data: { question: 'Tea?', options: ['yes', 'no'] } }] as const
const todo = [author, { widget_type: 'todo', extra_data: null }] as const

test('a poll has the votes of each, and options that were added', () => {
  const poll = widgetOf(
    message(
      tea,
      [other, { type: 'vote', key: 'canned,1', vote: 1 }],
      [other, { type: 'vote', key: 'canned,1', vote: 1 }],
      [author, { type: 'vote', key: 'canned,1', vote: 1 }],
      [other, { type: 'new_option', idx: 4, option: 'later' }],
      [author, { type: 'vote', key: '2,4', vote: 1 }],
      [author, { type: 'vote', key: 'canned,1', vote: -1 }],
      [author, { type: 'question', question: 'Tea or not?' }],
    ),
  ) as Poll
  assert.equal(poll.question, 'Tea or not?')
  assert.equal(poll.next, 5)
  assert.deepEqual(poll.options, [
    { key: 'canned,0', name: 'yes', voters: [] },
    { key: 'canned,1', name: 'no', voters: [other] },
    { key: '2,4', name: 'later', voters: [author] },
  ])
})

test('tasks are added and ticked by everybody', () => {
  const list = widgetOf(
    message(todo, [other, { type: 'new_task', key: 1, task: 'Paint', desc: 'the crane', completed: false }], [author, { type: 'strike', key: '1,2' }]),
  ) as Todo
  assert.deepEqual(list.tasks, [{ key: '1,2', name: 'Paint', description: 'the crane', done: true }])
  assert.equal(list.next, 2)
})

test('the lines of a list are tasks, which stay ticked when another line is removed', () => {
  const parts = message(todo, [other, { type: 'strike', key: 'written,Oil' }], [other, { type: 'new_task', key: 1, task: 'Rest', desc: '', completed: false }])
  const list = read(parts, () => '/todo Crane 4 \n\nPaint: in red\n Oil \nOil')
  assert.deepEqual(list, {
    kind: 'todo',
    title: 'Crane 4',
    tasks: [
      { key: 'written,Paint', name: 'Paint', description: 'in red', done: false },
      { key: 'written,Oil', name: 'Oil', description: '', done: true },
      { key: '1,2', name: 'Rest', description: '', done: false },
    ],
    next: 2,
  })
  assert.deepEqual((read(parts, () => '/todo\nOil') as Todo).tasks.map((task) => task.done), [true, false])
  assert.equal((read(parts, () => '/todo ' + '\nx'.repeat(3) + Array.from({ length: 300 }, (_, i) => `\n${i}`).join('')) as Todo).tasks.length, 200)
})

test('a message of somebody else is made no widget', () => {
  assert.equal(widgetOf(message([other, tea[1]])), undefined)
  assert.equal(widgetOf(message([other, tea[1]], tea)), undefined)
  assert.equal(widgetOf(message([author, 'not JSON'])), undefined)
  assert.equal(widgetOf(message([author, { widget_type: 'hologram' }])), undefined)
  assert.equal(widgetOf({ ...message(tea), submessages: [{ ...message(tea).submessages[0]!, msg_type: 'other' }] }), undefined)
})

test('parts that make no sense change nothing', () => {
  const before = widgetOf(message(tea))
  const odd: unknown[] = [
    'null',
    '[]',
    '"x"',
    '{',
    { type: 'vote', key: '__proto__', vote: 1 },
    { type: 'vote', key: { a: 1 }, vote: 1 },
    { type: 'vote', key: 'canned,0', vote: 7 },
    { type: 'question', question: 'Mine now' },
    { type: 'new_option', idx: 'x', option: 'x' },
    { type: 'new_option', idx: 1e300, option: 'x' },
    { type: 'new_option', idx: 1, option: { toString: 1 } },
    { type: 'new_option', idx: -5, option: '  ' },
    { type: 'constructor' },
  ]
  assert.deepEqual({ ...widgetOf(message(tea, ...odd.map((says) => [other, says] as const))), next: 1 }, before)
  assert.equal((widgetOf(message([author, { widget_type: 'poll', extra_data: { question: 3, options: 'abc' } }])) as Poll).options.length, 0)
})

test('thousands of options are cut', () => {
  const many = Array.from({ length: 5_000 }, (_, i) => [other, { type: 'new_option', idx: i, option: 'x'.repeat(5_000) }] as const)
  const { options } = widgetOf(message(tea, ...many)) as Poll
  assert.equal(options.length, 200)
  assert.equal(options.at(-1)?.name.length, 1_000)
})
