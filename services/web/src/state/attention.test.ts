import assert from 'node:assert/strict'
import { test } from 'node:test'
import { attentionTo, unreadCount } from './attention'
import type { Message, Subscription } from './model'
import { State } from './state'

const self = 1
const other = 2

function stateWith(settings: Record<string, unknown>, subscription: Partial<Subscription> = {}): State {
  const state = new State()
  state.self.value = self
  state.settings.value = { enable_desktop_notifications: true, enable_sounds: false, wildcard_mentions_notify: true, ...settings }
  state.subscriptions.value = new Map([[7, { stream_id: 7, name: 'hall', is_muted: false, ...subscription } as Subscription]])
  return state
}

function message(of: Partial<Message>): Message {
  return { id: 5, type: 'stream', stream_id: 7, subject: 'topic', sender_id: other, flags: [], display_recipient: 'hall', ...of } as Message
}

const direct = { type: 'private', stream_id: undefined, display_recipient: [{ id: self }, { id: other }] } as unknown as Partial<Message>
const both = { shown: true, sounded: true }
const none = { shown: false, sounded: false }

test('settings say what gets attention', () => {
  for (const [what, settings, subscription, of, want] of [
    ['private', {}, {}, direct, { shown: true, sounded: false }],
    ['own', {}, {}, { ...direct, sender_id: self }, none],
    ['read already', {}, {}, { ...direct, flags: ['read'] }, none],
    ['with a sound', { enable_sounds: true }, {}, direct, both],
    ['neither', { enable_desktop_notifications: false }, {}, direct, none],
    ['of a stream', {}, {}, {}, none],
    ['of all streams', { enable_stream_desktop_notifications: true, enable_stream_audible_notifications: true }, {}, {}, both],
    ['of all but this one', { enable_stream_desktop_notifications: true }, { desktop_notifications: false }, {}, none],
    ['of this one', {}, { desktop_notifications: true, audible_notifications: true }, {}, both],
    ['of this one, muted', {}, { desktop_notifications: true, is_muted: true }, {}, none],
    ['mentioned', {}, { is_muted: true }, { flags: ['mentioned'] }, { shown: true, sounded: false }],
    ['a word', {}, {}, { flags: ['has_alert_word'] }, { shown: true, sounded: false }],
    ['everybody', {}, {}, { flags: ['wildcard_mentioned'] }, { shown: true, sounded: false }],
    ['everybody, not wanted', { wildcard_mentions_notify: false }, {}, { flags: ['wildcard_mentioned'] }, none],
    ['everybody, wanted here', { wildcard_mentions_notify: false }, { wildcard_mentions_notify: true }, { flags: ['wildcard_mentioned'] }, { shown: true, sounded: false }],
    ['everybody, where it is muted', {}, { is_muted: true }, { flags: ['wildcard_mentioned'] }, none],
    ['of a stream that is no longer subscribed to', {}, {}, { stream_id: 8 }, none],
  ] as const) {
    assert.deepEqual(attentionTo(stateWith(settings, subscription), message(of as Partial<Message>)), want, what)
  }
})

test('the count is of what the setting says', () => {
  const count = (shown: number) => {
    const state = stateWith({ desktop_icon_count_display: shown }, { is_muted: true })
    state.unread.add({ kind: 'topic', stream: 7, topic: 'muted' }, [1, 2])
    state.unread.add({ kind: 'topic', stream: 8, topic: 'topic' }, [3])
    state.unread.add({ kind: 'private', people: [other] }, [4, 5])
    state.mentions.value = new Set([2, 4]) // one of them in private, which counts once
    return unreadCount(state)
  }
  assert.deepEqual([1, 2, 3].map(count), [3, 3, 0])
})
