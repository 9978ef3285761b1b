import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ServerEvent } from '../../api/schema'
import type { Registration } from '../model'
import { State } from '../state'
import { apply } from './apply'

const field = { id: 4, name: 'Pronouns', type: 1, hint: '', field_data: '', order: 1 }
const bot = { user_id: 9, bot_type: 3, email: 'b@x', full_name: 'Crane', is_active: true, owner_id: 1, services: [{ base_url: 'https://a.example/', interface: 1, token: 't' }] }

function filled(): State {
  const state = new State()
  state.fill({
    user_id: 1,
    realm_users: [{ user_id: 1, full_name: 'Cleo', profile_data: { 4: { value: 'she' } } }],
    realm_bots: [bot],
    custom_profile_fields: [field],
    realm_filters: [['#(?P<id>[0-9]+)', 'https://t.example/%(id)s', 3]],
    realm_domains: [{ domain: 'b.example', allow_subdomains: false }],
    realm_default_streams: [{ stream_id: 7 }],
  } as unknown as Registration)
  return state
}

let ids = 0

function happen(state: State, event: object): void {
  apply(state, { id: ids++, ...event } as unknown as ServerEvent, 1_000)
}

test('bots are made, change, are handed over, end and go', () => {
  const { organization } = filled()
  const state = filled()
  const { bots } = state.organization
  happen(state, { type: 'realm_bot', op: 'add', bot: { ...bot, user_id: 10 } })
  happen(state, { type: 'realm_bot', op: 'update', bot: { user_id: 9, full_name: 'Lift', services: [{ base_url: 'https://b.example/' }] } })
  happen(state, { type: 'realm_bot', op: 'update', bot: { user_id: 10, owner_id: 2 } })
  assert.equal(bots.value.get(9)?.full_name, 'Lift')
  assert.deepEqual(bots.value.get(9)?.services, [{ base_url: 'https://b.example/', interface: 1, token: 't' }])
  assert.equal(bots.value.get(10)?.owner_id, 2)
  happen(state, { type: 'realm_bot', op: 'remove', bot: { user_id: 9, full_name: 'Lift' } })
  happen(state, { type: 'realm_bot', op: 'delete', bot: { user_id: 10 } })
  happen(state, { type: 'realm_bot', op: 'update', bot: { user_id: 99, full_name: 'Nobody' } })
  assert.equal(bots.value.get(9)?.is_active, false)
  assert.equal(bots.value.size, 1)
  assert.equal(organization.bots.value.get(9)?.is_active, true) // another client's
})

test('domains come in their order, change and go', () => {
  const state = filled()
  const { domains } = state.organization
  happen(state, { type: 'realm_domains', op: 'add', realm_domain: { domain: 'a.example', allow_subdomains: false } })
  happen(state, { type: 'realm_domains', op: 'change', realm_domain: { domain: 'b.example', allow_subdomains: true } })
  assert.deepEqual(domains.value.map((d) => `${d.domain} ${d.allow_subdomains}`), ['a.example false', 'b.example true'])
  happen(state, { type: 'realm_domains', op: 'remove', domain: 'a.example' })
  assert.equal(domains.value.length, 1)
})

test('fields, linkifiers, default streams, archives and invitations are those of the last event', () => {
  const state = filled()
  const { profileFields, linkifiers, defaultStreams, streamGroups, exports, invitations } = state.organization
  assert.deepEqual(linkifiers.value, [{ id: 3, pattern: '#(?P<id>[0-9]+)', format: 'https://t.example/%(id)s' }])
  const before = invitations.value
  happen(state, { type: 'custom_profile_fields', op: 'delete', fields: [] })
  happen(state, { type: 'realm_filters', realm_filters: [] })
  happen(state, { type: 'default_streams', default_streams: [{ stream_id: 8 }] })
  happen(state, { type: 'default_stream_groups', default_stream_groups: [{ id: 1, name: 'crew', description: '', streams: [] }] })
  happen(state, { type: 'realm_export', exports: [{ id: 1, pending: true }] })
  happen(state, { type: 'invites_changed' })
  assert.deepEqual([profileFields.value, linkifiers.value, [...defaultStreams.value]], [[], [], [8]])
  assert.deepEqual([streamGroups.value.length, exports.value?.length, invitations.value - before], [1, 1, 1])
})

test('answers of a profile change one by one', () => {
  const state = filled()
  happen(state, { type: 'realm_user', op: 'update', person: { user_id: 1, custom_profile_field: { id: 5, value: 'x', rendered_value: '<p>x</p>' } } })
  assert.deepEqual(state.me.value?.profile_data, { 4: { value: 'she' }, 5: { value: 'x', rendered_value: '<p>x</p>' } })
  happen(state, { type: 'realm_user', op: 'update', person: { user_id: 1, custom_profile_field: { id: 4, value: null } } })
  assert.deepEqual(state.me.value?.profile_data, { 5: { value: 'x', rendered_value: '<p>x</p>' } })
})

test('addresses that administrators saw beside the displayed ones go when they see them no more', () => {
  const state = filled()
  happen(state, { type: 'realm', op: 'update', property: 'email_address_visibility', value: 3 })
  happen(state, { type: 'realm_user', op: 'update', person: { user_id: 1, delivery_email: 'cleo@b.example' } })
  assert.equal(state.me.value?.delivery_email, 'cleo@b.example')
  happen(state, { type: 'realm', op: 'update', property: 'email_address_visibility', value: 4 })
  assert.equal(state.me.value?.delivery_email, undefined)
})
