import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Message } from './model'
import { recentOf } from './recent'

function message(id: number, sender: number, subject: string): Message {
  return { id, timestamp: id * 10, sender_id: sender, stream_id: 7, subject, display_recipient: 'general' } as unknown as Message
}

test('conversations are in the order of their newest messages, with who wrote last', () => {
  const all = recentOf([message(1, 4, 'tea'), message(2, 5, 'lunch'), message(3, 6, 'Tea')], [{ place: { kind: 'private', people: [4] }, newest: 2.5 }, { place: { kind: 'topic', stream: 7, topic: 'TEA' }, newest: 1 }], 4)
  assert.deepEqual(all, [
    { place: { kind: 'topic', stream: 7, topic: 'Tea' }, id: 3, time: 30, people: [6, 4] },
    { place: { kind: 'private', people: [4] }, id: 2.5, time: undefined, people: [] },
    { place: { kind: 'topic', stream: 7, topic: 'lunch' }, id: 2, time: 20, people: [5] },
  ])
})
