import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shortNameOf, webhookAddress, zuliprcOf } from './botkey'

const key = { email: 'pier-bot@chat.example', key: 'abc', site: 'https://chat.example' }

test('programs get a file, those that are called one with the token', () => {
  assert.equal(zuliprcOf(key), '[api]\nemail=pier-bot@chat.example\nkey=abc\nsite=https://chat.example\n')
  assert.equal(zuliprcOf({ ...key, token: 't' }).endsWith('\ntoken=t\n'), true)
})

test('names of streams and topics are in addresses whatever they have', () => {
  assert.equal(webhookAddress(key, 'alertmanager', { stream: '', topic: 'x' }), 'https://chat.example/api/v1/external/alertmanager?api_key=abc')
  const address = new URL(webhookAddress(key, 'helloworld', { stream: 'on & off?', topic: 'a#b/ü' }))
  assert.deepEqual([...address.searchParams], [['api_key', 'abc'], ['stream', 'on & off?'], ['topic', 'a#b/ü']])
  assert.equal(address.hash, '')
})

test('short names are made of names', () => {
  assert.equal(shortNameOf('Crane & Über Watch!'), 'crane-uber-watch')
  assert.equal(shortNameOf('--🐙--'), '')
  assert.equal(shortNameOf('x'.repeat(80)).length, 50)
})
