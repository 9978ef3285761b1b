import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ServerEvent } from '../../api/schema'
import { narrowTo } from '../narrow'
import type { Registration } from '../model'
import { State } from '../state'
import { apply } from './apply'

const registration = {
  result: 'success',
  msg: '',
  queue_id: 'q',
  last_event_id: -1,
  service_version: '1',
  service_feature_level: 27,
  user_id: 1,
  realm_users: [
    { user_id: 1, full_name: 'Cleo' },
    { user_id: 2, full_name: 'Dario' },
  ],
  subscriptions: [{ stream_id: 7, name: 'general', is_muted: false }],
  unread_msgs: { pms: [], streams: [{ stream_id: 7, topic: 'tea', unread_message_ids: [3, 4], sender_ids: [2] }], huddles: [], mentions: [4], count: 2 },
  starred_messages: [3],
} as unknown as Registration

function filled(): State {
  const state = new State()
  state.fill(registration)
  return state
}

let ids = 0

function happen(state: State, event: object): void {
  apply(state, { id: ids++, ...event } as unknown as ServerEvent, 1_000)
}

function message(id: number, more: object = {}) {
  const about = { id, timestamp: id, type: 'stream', sender_id: 2, stream_id: 7, subject: 'tea', display_recipient: 'general', reactions: [], submessages: [], content: '<p>x</p>' }
  return { type: 'message', flags: [], message: { ...about, ...more } }
}

test('groups are made, change and go', () => {
  const state = filled()
  happen(state, { type: 'user_group', op: 'add', group: { id: 5, name: 'cranes', description: '', members: [2] } })
  happen(state, { type: 'user_group', op: 'update', group_id: 5, data: { name: 'lifts' } })
  happen(state, { type: 'user_group', op: 'add_members', group_id: 5, user_ids: [1] })
  assert.deepEqual(state.groups.value.get(5), { id: 5, name: 'lifts', description: '', members: [1, 2] })
  happen(state, { type: 'user_group', op: 'remove_members', group_id: 5, user_ids: [2] })
  assert.deepEqual(state.groups.value.get(5)?.members, [1])
  happen(state, { type: 'user_group', op: 'remove', group_id: 5 })
  happen(state, { type: 'user_group', op: 'update', group_id: 5, data: { name: 'gone' } })
  assert.equal(state.groups.value.size, 0)
})

test('private conversations with unread messages are known where the server names only the newest ones', () => {
  const state = new State()
  state.fill({
    ...registration,
    recent_private_conversations: [{ user_ids: [2], max_message_id: 20 }, { user_ids: [5], max_message_id: 12 }],
    unread_msgs: {
      pms: [{ sender_id: 2, unread_message_ids: [20] }, { sender_id: 6, unread_message_ids: [8, 9] }],
      streams: [],
      huddles: [{ user_ids_string: '1,2,6', unread_message_ids: [7] }],
      mentions: [],
      count: 4,
    },
  } as unknown as Registration)
  assert.deepEqual(state.conversations.value, [
    { people: [2], newest: 20 },
    { people: [5], newest: 12 },
    { people: [6], newest: 9 },
    { people: [2, 6], newest: 7 },
  ])
})

test('what is left of a private conversation is asked for where its newest message was deleted', () => {
  const state = new State()
  state.fill({ ...registration, recent_private_conversations: [{ user_ids: [2], max_message_id: 20 }, { user_ids: [5], max_message_id: 12 }] } as unknown as Registration)
  happen(state, { type: 'delete_message', message_ids: [19, 11], message_type: 'private' })
  assert.deepEqual(state.emptied.value, [])
  happen(state, { type: 'delete_message', message_id: 20, message_type: 'private' })
  assert.deepEqual(state.emptied.value, [[2]])
  state.settle([2], 7)
  assert.deepEqual(state.conversations.value, [{ people: [5], newest: 12 }, { people: [2], newest: 7 }])
  state.settle([2], undefined)
  assert.deepEqual(state.conversations.value, [{ people: [5], newest: 12 }])
})

test('topics that were moved or deleted leave the list of their stream', () => {
  const state = filled()
  const known = (...names: readonly string[]) => (state.topics.value = new Map([[7, names.map((name, i) => ({ name, max_id: 10 - i }))]]))
  const names = () => state.topics.value.get(7)?.map((topic) => topic.name)
  const moved = { type: 'update_message', user_id: 2, message_id: 10, message_ids: [10], stream_id: 7, orig_subject: 'Tea', subject: 'coffee', flags: [], topic_links: [] }
  known('tea', 'cake')
  happen(state, { ...moved, propagate_mode: 'change_all' })
  assert.deepEqual(names(), ['coffee', 'cake']) // whether its messages were ever fetched or not
  known('cake', 'tea', 'coffee')
  happen(state, { ...moved, message_id: 7, message_ids: [7, 6], propagate_mode: 'change_one' })
  assert.deepEqual(names(), ['cake', 'tea', 'coffee']) // older messages make no topic newer
  known('tea', 'cake')
  happen(state, { ...moved, propagate_mode: 'change_later' })
  assert.equal(names(), undefined) // the server is asked what is left
  known('cake', 'tea')
  happen(state, { type: 'delete_message', message_ids: [3], message_type: 'stream', stream_id: 7, topic: 'tea' })
  assert.deepEqual(names(), ['cake', 'tea'])
  happen(state, { type: 'delete_message', message_ids: [9], message_type: 'stream', stream_id: 7, topic: 'tea' })
  assert.equal(names(), undefined)
})

test('a topic that is moved in several events stays in the list for the notice about that', () => {
  const state = filled()
  state.topics.value = new Map([[7, [{ name: 'tea', max_id: 300 }]]])
  const names = () => state.topics.value.get(7)?.map((topic) => topic.name)
  const moved = { type: 'update_message', user_id: 2, stream_id: 7, orig_subject: 'tea', new_stream_id: 8, flags: [], topic_links: [], propagate_mode: 'change_all' }
  happen(state, { ...moved, message_id: 300, message_ids: [300, 1, 2] })
  assert.deepEqual(names(), [])
  happen(state, message(301))
  happen(state, { ...moved, message_id: 3, message_ids: [3, 4] })
  assert.deepEqual(names(), ['tea'])
})

test('the view of a topic goes with it where all of that gets a new name', () => {
  const rename = (known: readonly string[] | undefined, seen: readonly number[], ids: readonly number[], more: object = {}) => {
    const state = filled()
    state.topics.value = new Map(known && [[7, known.map((name, i) => ({ name, max_id: 20 - i }))]])
    const view = state.view(narrowTo({ kind: 'topic', stream: 7, topic: 'tea' }))
    view.foundOldest.value = view.foundNewest.value = true
    seen.forEach((id) => happen(state, message(id)))
    view.ids.value = seen
    view.selected.value = seen[0]
    happen(state, { type: 'update_message', user_id: 2, message_id: ids[0], message_ids: ids, stream_id: 7, orig_subject: 'Tea', subject: 'coffee', flags: [], topic_links: [], propagate_mode: 'change_all', ...more })
    return { state, view, isThere: state.view(narrowTo({ kind: 'topic', stream: 7, topic: 'coffee' })) === view }
  }
  const { state, view, isThere } = rename(['tea'], [19, 20], [18, 19, 20])
  assert.deepEqual([isThere, view.ids.value, view.selected.value], [true, [19, 20], 19])
  assert.notEqual(state.view(narrowTo({ kind: 'topic', stream: 7, topic: 'tea' })), view)
  happen(state, message(21, { subject: 'coffee' }))
  assert.deepEqual(view.ids.value, [19, 20, 21])
  assert.equal(rename(['tea', 'Coffee'], [20], [20]).isThere, false) // others are there
  assert.equal(rename(['tea'], [19, 20], [20]).isThere, false) // not all of a long one
  assert.equal(rename(['tea'], [20], [20], { propagate_mode: 'change_later' }).isThere, false)
  assert.equal(rename(undefined, [20], [20]).isThere, false) // whether there are isn't known
})

test('muting a stream comes as its opposite, and members come and go where they are known', () => {
  const state = filled()
  happen(state, { type: 'subscription', op: 'update', stream_id: 7, property: 'in_home_view', value: false })
  assert.equal(state.subscriptions.value.get(7)?.is_muted, true)
  happen(state, { type: 'subscription', op: 'peer_add', stream_id: 7, user_id: 2 })
  assert.equal(state.members.value.get(7), undefined)
  state.members.value = new Map([[7, new Set([1])]])
  happen(state, { type: 'subscription', op: 'peer_add', stream_id: 7, user_id: 2 })
  happen(state, { type: 'subscription', op: 'remove', subscriptions: [{ stream_id: 7, name: 'general' }] })
  assert.deepEqual([...(state.members.value.get(7) ?? [])], [2])
  happen(state, { type: 'subscription', op: 'add', subscriptions: [{ stream_id: 7, name: 'general', subscribers: [1, 3] }] })
  assert.deepEqual([...(state.members.value.get(7) ?? [])], [1, 3])
  happen(state, { type: 'stream', op: 'update', stream_id: 7, property: 'name', value: 'hall' })
  happen(state, { type: 'stream', op: 'delete', streams: [{ stream_id: 7, name: 'hall' }] })
  assert.equal(state.streamName(7), 'hall') // which may be on screen
  assert.equal(state.members.value.has(7), false)
})

const tea = { kind: 'topic', stream: 7, topic: 'Tea' } as const

test('a message is unread, and in the views that it belongs to', () => {
  const state = filled()
  const view = state.view(narrowTo(tea))
  view.ids.value = [3, 4]
  view.foundNewest.value = true
  const other = state.view(narrowTo({ ...tea, topic: 'coffee' }))
  other.ids.value = []
  other.foundNewest.value = true
  happen(state, message(5))
  assert.deepEqual(view.ids.value, [3, 4, 5])
  assert.deepEqual(other.ids.value, [])
  assert.equal(state.unread.in(tea), 3)
  happen(state, { type: 'update_message_flags', operation: 'add', flag: 'read', messages: [3, 4, 5], all: false })
  assert.equal(state.unread.in(tea), 0)
  assert.equal(state.mentions.value.size, 0)
})

test('mentions are counted as the server does, whatever an edit makes of a message', () => {
  const state = filled()
  const view = state.view([{ operator: 'is', operand: 'mentioned' }])
  view.ids.value = [4]
  view.foundNewest.value = true
  const edit = (id: number, flags: readonly string[]) =>
    happen(state, { type: 'update_message', user_id: 2, message_id: id, message_ids: [id], flags, edit_timestamp: 9, content: 'x', rendered_content: 'x' })
  const mentions = () => [...state.mentions.value]
  happen(state, { ...message(5), flags: ['wildcard_mentioned'] })
  happen(state, message(6))
  assert.deepEqual(mentions(), [4, 5])
  edit(6, ['mentioned'])
  assert.deepEqual(mentions(), [4, 5, 6])
  assert.deepEqual(view.ids.value, [4, 5, 6])
  edit(5, [])
  edit(4, []) // it was never fetched
  assert.deepEqual(mentions(), [6])
  assert.deepEqual(view.ids.value, [4, 6])
  happen(state, { type: 'subscription', op: 'update', stream_id: 7, property: 'in_home_view', value: false })
  happen(state, { ...message(7), flags: ['wildcard_mentioned'] })
  edit(8, ['read', 'mentioned'])
  assert.deepEqual(mentions(), [6])
})

test('a search for unread messages keeps those that are read, until somebody comes back to it', () => {
  const state = filled()
  const narrow = [{ operator: 'is', operand: 'unread' }] as const
  const view = state.view(narrow)
  view.ids.value = [3, 4]
  view.foundNewest.value = true
  happen(state, message(5))
  happen(state, { type: 'update_message_flags', operation: 'add', flag: 'read', messages: [5], all: false })
  assert.deepEqual(view.ids.value, [3, 4, 5])
  assert.equal(state.isFollowed(narrow), false)
})

test('a message behind a gap waits until the gap is fetched', () => {
  const state = filled()
  const view = state.view(narrowTo(tea))
  view.ids.value = [3]
  happen(state, message(9))
  assert.deepEqual(view.ids.value, [3])
  assert.deepEqual([...view.waiting], [9])
})

test('a message that waits is not shown after it was moved or deleted', () => {
  const state = filled()
  const view = state.view(narrowTo(tea))
  view.ids.value = [3]
  happen(state, message(9))
  happen(state, message(10))
  happen(state, message(11))
  happen(state, { type: 'update_message', user_id: 2, message_id: 9, message_ids: [9], stream_id: 7, orig_subject: 'tea', subject: 'coffee', flags: [], topic_links: [] })
  happen(state, { type: 'delete_message', message_ids: [11], message_type: 'stream', stream_id: 7, topic: 'tea' })
  assert.deepEqual([...view.waiting], [10])
})

test('messages that are moved change their topic and their views', () => {
  const state = filled()
  const from = state.view(narrowTo(tea))
  const to = state.view(narrowTo({ ...tea, topic: 'coffee' }))
  for (const view of [from, to]) {
    view.ids.value = []
    view.foundNewest.value = true
    view.foundOldest.value = true
  }
  happen(state, message(5))
  happen(state, { type: 'update_message', user_id: 2, message_id: 5, message_ids: [5, 4], stream_id: 7, orig_subject: 'tea', subject: 'coffee', flags: [], topic_links: [] })
  assert.deepEqual(from.ids.value, [])
  assert.deepEqual(to.ids.value, [5])
  assert.equal(state.unread.in({ ...tea, topic: 'coffee' }), 2)
  assert.equal(state.unread.in(tea), 1)
})

test('a topic that is known lacks messages that were moved to it and never fetched, unless they are beyond what is known', () => {
  const state = filled()
  const coffee = { ...tea, topic: 'coffee' }
  const [to, stream, other, everything] = [state.view(narrowTo(coffee)), state.view([{ operator: 'stream', operand: 7 }]), state.view(narrowTo({ ...tea, topic: 'cake' })), state.view([])]
  for (const view of [to, stream, other, everything]) {
    view.ids.value = [10, 20]
    view.foundNewest.value = true
  }
  const moved = { type: 'update_message', user_id: 2, flags: [], topic_links: [], stream_id: 7, orig_subject: 'tea', subject: 'Coffee', propagate_mode: 'change_later' }
  happen(state, { ...moved, message_id: 4, message_ids: [4] })
  assert.deepEqual(state.lacking.value, [])
  assert.deepEqual([...to.waiting], [4])
  happen(state, { ...moved, message_id: 12, message_ids: [12, 13] })
  assert.deepEqual(new Set(state.lacking.value), new Set([to, stream]))
})

test('messages that were never received stay read, whatever another client marks as unread', () => {
  const state = filled()
  happen(state, message(5))
  const [old] = state.keepPage([{ ...message(2).message, flags: ['read', 'historical'] } as unknown as Parameters<State['keepPage']>[0][number]])
  happen(state, { type: 'update_message_flags', operation: 'add', flag: 'read', messages: [5], all: false })
  happen(state, { type: 'update_message_flags', operation: 'remove', flag: 'read', messages: [old, 5], all: false })
  assert.deepEqual(state.message(2)?.peek().flags, ['read', 'historical'])
  assert.deepEqual(state.unread.idsIn({ kind: 'topic', stream: 7, topic: 'tea' }), [3, 4, 5])
})

test('views of flags lack messages that get one and were never fetched', () => {
  const state = filled()
  const [starred, mentioned, stream] = [state.view([{ operator: 'is', operand: 'starred' }]), state.view([{ operator: 'is', operand: 'mentioned' }]), state.view([{ operator: 'stream', operand: 7 }])]
  for (const view of [starred, mentioned, stream]) {
    view.ids.value = [3]
    view.foundNewest.value = true
    view.foundOldest.value = true
  }
  happen(state, { type: 'update_message_flags', operation: 'remove', flag: 'starred', messages: [9], all: false })
  assert.deepEqual(state.lacking.value, [])
  happen(state, { type: 'update_message_flags', operation: 'add', flag: 'starred', messages: [9], all: false })
  assert.deepEqual(state.lacking.value, [starred])
  happen(state, { type: 'update_message', user_id: 2, message_id: 8, message_ids: [8], flags: ['wildcard_mentioned'], edit_timestamp: 9, content: 'x', rendered_content: 'x' })
  assert.deepEqual(state.lacking.value, [starred, mentioned])
})

test('a deleted message is gone everywhere', () => {
  const state = filled()
  const view = state.view([])
  view.ids.value = [3, 4]
  happen(state, { type: 'delete_message', message_ids: [3], message_type: 'stream', stream_id: 7, topic: 'tea' })
  assert.deepEqual(view.ids.value, [4])
  assert.equal(state.starred.value.has(3), false)
  assert.equal(state.unread.in(tea), 1)
})

test('reactions come and go, and come twice as once', () => {
  const state = filled()
  happen(state, message(5))
  const reaction = { type: 'reaction', op: 'add', message_id: 5, user_id: 2, emoji_name: 'tada', emoji_code: '1f389', reaction_type: 'unicode_emoji' }
  happen(state, reaction)
  happen(state, reaction)
  assert.equal(state.message(5)?.value.reactions.length, 1)
  happen(state, { ...reaction, op: 'remove' })
  assert.equal(state.message(5)?.value.reactions.length, 0)
})

test('whoever types is forgotten when they stop', () => {
  const state = filled()
  const typing = { type: 'typing', sender: { user_id: 2 }, recipients: [{ user_id: 1 }, { user_id: 2 }] }
  happen(state, { ...typing, op: 'start' })
  assert.equal(state.typing.value.get('@2')?.size, 1)
  happen(state, { ...typing, op: 'stop' })
  assert.equal(state.typing.value.get('@2')?.size, 0)
})

test('words of which one wants to hear are replaced', () => {
  const state = filled()
  happen(state, { type: 'alert_words', alert_words: ['leak'] })
  assert.ok(state.alerts.value?.test('a Leak'))
})

test('what is newer than the client is ignored', () => {
  const state = filled()
  happen(state, { type: 'hologram', op: 'add' })
  happen(state, { type: 'realm_user', op: 'update', person: { user_id: 99, full_name: 'Nobody' } })
  happen(state, { type: 'reaction', op: 'add', message_id: 12345, user_id: 2 })
  assert.equal(state.users.value.size, 2)
})

test('names, roles, streams and settings change', () => {
  const state = filled()
  happen(state, { type: 'realm_user', op: 'update', person: { user_id: 1, role: 200 } })
  happen(state, { type: 'stream', op: 'update', stream_id: 7, name: 'general', property: 'name', value: 'lobby' })
  happen(state, { type: 'realm', op: 'update_dict', property: 'default', data: { allow_message_editing: false } })
  happen(state, { type: 'muted_topics', muted_topics: [[7, 'TEA', 1]] })
  assert.equal(state.isAdmin.value, true)
  assert.equal(state.streamName(7), 'lobby')
  assert.equal(state.settings.value['realm_allow_message_editing'], false)
  assert.equal(state.isMuted(tea), true)
  assert.deepEqual([...state.mutedTopics.value.values()], [{ stream: 7, topic: 'TEA', since: 1 }])
  assert.equal(state.unreadOfStreams.value.get(7) ?? 0, 0)
})

test('words, notifications, files and the own picture change', () => {
  const state = filled()
  const file = { id: 3, name: 'plan', path_id: '1/plan', size: 5, create_time: 1, messages: [] }
  happen(state, { type: 'attachment', op: 'add', attachment: file })
  assert.equal(state.files.value, undefined) // nobody has asked for them
  state.files.value = []
  happen(state, { type: 'attachment', op: 'add', attachment: file })
  happen(state, { type: 'attachment', op: 'update', attachment: { ...file, name: 'plans' } })
  assert.deepEqual(state.files.value.map((f) => f.name), ['plans'])
  happen(state, { type: 'attachment', op: 'update', attachment: { ...file, id: 4, name: 'of somebody else' } })
  assert.deepEqual(state.files.value.map((f) => f.id), [3])
  happen(state, { type: 'attachment', op: 'remove', attachment: { id: 3 } })
  assert.deepEqual(state.files.value, [])
  happen(state, { type: 'alert_words', alert_words: ['crane'] })
  happen(state, { type: 'update_global_notifications', user: 'x', notification_name: 'enable_sounds', setting: false })
  happen(state, { type: 'realm_user', op: 'update', person: { user_id: 1, avatar_source: 'U', avatar_url: '/x' } })
  happen(state, { type: 'realm_user', op: 'update', person: { user_id: 2, avatar_source: 'G', avatar_url: '/y' } })
  assert.deepEqual(state.alertWords.value, ['crane'])
  assert.equal(state.settings.value['enable_sounds'], false)
  assert.equal(state.ownPicture.value, true)
})
