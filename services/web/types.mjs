// Writes src/api/schema.ts: the types of the calls that the client makes, and of all events, from the OpenAPI document of the
// server.
//
//   node types.mjs [-check]
//
// With -check it writes nothing, and fails if the file would be another.
import { readFileSync, writeFileSync } from 'node:fs'

const from = new URL('../api/openapi/openapi.json', import.meta.url)
const to = new URL('src/api/schema.ts', import.meta.url)

const calls = [
  'DELETE /attachments/{attachment_id}',
  'DELETE /bots/{bot_id}',
  'DELETE /default_stream_groups/{group_id}',
  'DELETE /default_streams',
  'DELETE /drafts/{draft_id}',
  'DELETE /events',
  'DELETE /export/realm/{export_id}',
  'DELETE /identities',
  'DELETE /invites/multiuse/{invite_id}',
  'DELETE /invites/{prereg_id}',
  'DELETE /messages/{message_id}',
  'DELETE /messages/{message_id}/reactions',
  'DELETE /realm/domains/{domain}',
  'DELETE /realm/emoji/{emoji_name}',
  'DELETE /realm/filters/{filter_id}',
  'DELETE /realm/icon',
  'DELETE /realm/logo',
  'DELETE /realm/profile_fields/{field_id}',
  'DELETE /scheduled_messages/{scheduled_message_id}',
  'DELETE /sessions/{session_id}',
  'DELETE /users/me/push_devices/{device_id}',
  'DELETE /streams/{stream_id}',
  'DELETE /user_groups/{user_group_id}',
  'DELETE /users/me',
  'DELETE /users/me/alert_words',
  'DELETE /users/me/avatar',
  'DELETE /users/me/profile_data',
  'DELETE /users/me/subscriptions',
  'DELETE /users/{user_id}',
  'GET /attachments',
  'GET /drafts',
  'GET /export/realm',
  'GET /identities',
  'GET /invites',
  'GET /messages',
  'GET /messages/matches_narrow',
  'GET /messages/{message_id}',
  'GET /messages/{message_id}/history',
  'GET /scheduled_messages',
  'GET /server_settings',
  'GET /sessions',
  'GET /streams/{stream_id}/members',
  'GET /users/me/push_devices',
  'GET /users/me/{stream_id}/topics',
  'PATCH /bots/{bot_id}',
  'PATCH /default_stream_groups/{group_id}',
  'PATCH /default_stream_groups/{group_id}/streams',
  'PATCH /drafts/{draft_id}',
  'PATCH /messages/{message_id}',
  'PATCH /realm',
  'PATCH /realm/domains/{domain}',
  'PATCH /realm/profile_fields',
  'PATCH /realm/profile_fields/{field_id}',
  'PATCH /settings',
  'PATCH /settings/display',
  'PATCH /settings/notifications',
  'PATCH /streams/{stream_id}',
  'PATCH /user_groups/{user_group_id}',
  'PATCH /users/me/profile_data',
  'PATCH /users/me/subscriptions/muted_topics',
  'PATCH /users/{user_id}',
  'POST /bots',
  'POST /bots/{bot_id}/api_key/regenerate',
  'POST /default_stream_groups/create',
  'POST /default_streams',
  'POST /drafts',
  'POST /export/realm',
  'POST /fetch_api_key',
  'POST /invites',
  'POST /invites/multiuse',
  'POST /invites/{prereg_id}/resend',
  'POST /mark_all_as_read',
  'POST /mark_stream_as_read',
  'POST /mark_topic_as_read',
  'POST /messages',
  'POST /messages/flags',
  'POST /messages/render',
  'POST /messages/{message_id}/reactions',
  'POST /realm/deactivate',
  'POST /realm/domains',
  'POST /realm/emoji/{emoji_name}',
  'POST /realm/filters',
  'POST /realm/icon',
  'POST /realm/logo',
  'POST /realm/profile_fields',
  'POST /register',
  'POST /sessions',
  'POST /streams/{stream_id}/delete_topic',
  'POST /submessage',
  'POST /typing',
  'POST /user_groups/create',
  'POST /user_groups/{user_group_id}/members',
  'POST /user_uploads',
  'POST /users',
  'POST /users/me/alert_words',
  'POST /users/me/api_key/regenerate',
  'POST /users/me/avatar',
  'POST /users/me/enter-sends',
  'POST /users/me/presence',
  'POST /users/me/status',
  'POST /users/me/push_devices',
  'POST /users/me/subscriptions',
  'POST /users/me/subscriptions/properties',
  'POST /users/{user_id}/reactivate',
]

const document = JSON.parse(readFileSync(from, 'utf8'))

/** Returns the name of the type of a schema that others refer to: event.realm_user.add is RealmUserAddEvent. */
function nameOf(schema) {
  return schema.replace(/^event\./, '').replace(/(^|[._])(\w)/g, (_, __, letter) => letter.toUpperCase()) + 'Event'
}

/** Returns the type of what a schema describes. */
function typeOf(schema) {
  if (schema === undefined || schema === true) return 'unknown'
  if (schema.$ref) return nameOf(schema.$ref.split('/').at(-1))
  if ('const' in schema) return JSON.stringify(schema.const)
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  const choice = schema.oneOf ?? schema.anyOf
  if (choice) return [...new Set(choice.map(typeOf))].join(' | ')
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeOf({ ...schema, type })).join(' | ')
  switch (schema.type) {
    case 'null':
      return 'null'
    case 'boolean':
    case 'string':
      return schema.type
    case 'integer':
    case 'number':
      return 'number'
    case 'array':
      return `readonly (${typeOf(schema.items)})[]`
    case 'object':
      return schema.properties ? membersOf(schema) : `Readonly<Record<string, ${typeOf(schema.additionalProperties || undefined)}>>`
    default:
      return 'unknown'
  }
}

function membersOf(schema) {
  const required = new Set(schema.required)
  const members = Object.entries(schema.properties).map(([name, of]) => `readonly ${JSON.stringify(name)}${required.has(name) ? '' : '?'}: ${typeOf(of)}`)
  return `{ ${members.join('; ')} }`
}

/** Returns the types of a call's parameters and of what it replies. */
function callOf(call) {
  const [method, path] = call.split(' ')
  const operation = document.paths['/api/v1' + path][method.toLowerCase()]
  const parameters = (operation.parameters ?? []).filter((p) => p.in !== 'header')
  const params = parameters.map((p) => `readonly ${p.name}${p.required ? '' : '?'}: ${typeOf(valueOf(p.schema))}`)
  const form = operation.requestBody?.content['application/x-www-form-urlencoded']?.schema
  const required = new Set(form?.required)
  for (const [name, schema] of Object.entries(form?.properties ?? {})) {
    params.push(`readonly ${name}${required.has(name) ? '' : '?'}: ${typeOf(valueOf(schema))}`)
  }
  const reply = typeOf(contentOf(operation.responses['200']))
  return `  ${JSON.stringify(call)}: {\n    readonly params: { ${params.join('; ')} }\n    readonly reply: ${reply}\n  }`
}

/** Returns the schema of the value that a parameter's text stands for. */
function valueOf(schema) {
  return schema.contentSchema ?? schema
}

function contentOf(holder) {
  return holder.content['application/json'].schema
}

const events = Object.keys(document.components.schemas).filter((name) => name.startsWith('event.')).sort()
const text = `// Code generated by types.mjs. DO NOT EDIT.

/** The calls of the interface that the client makes. */
export interface Calls {
${calls.map(callOf).join('\n')}
}

${events.map((name) => `export type ${nameOf(name)} = ${typeOf(document.components.schemas[name])}`).join('\n\n')}

/** What comes from the queue of events. */
export type ServerEvent = ${events.map(nameOf).join(' | ')}
`
if (process.argv[2] !== '-check') {
  writeFileSync(to, text)
} else if (readFileSync(to, 'utf8') !== text) {
  console.error('src/api/schema.ts is not what the OpenAPI document says: run npm run types')
  process.exit(1)
}
