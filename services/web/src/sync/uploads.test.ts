import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CallError } from '../api/request'
import { Drafts } from './drafts'
import type { Store } from './storage'
import { Uploads } from './uploads'

const none = { read: () => undefined, write: () => {}, follow: () => {} } as unknown as Store

test('several files, of which one is refused and one is stopped', async () => {
  const drafts = new Drafts(none)
  let most = 0
  let now = 0
  const ends = new Map<string, () => void>()
  const end = async (...names: readonly string[]) => {
    for (const name of names) {
      ends.get(name)?.()
    }
    await new Promise(setImmediate) // what follows has no waiting of its own
  }
  const uploads = new Uploads(drafts, async (file, stop, progress) => {
    most = Math.max(most, ++now)
    progress(0.5)
    await new Promise<void>((resolve) => ends.set(file.name, resolve))
    now--
    stop.throwIfAborted()
    if (file.name === 'bad') {
      throw new CallError('Too large.', 400, '', 0)
    }
    return '/user_uploads/' + file.name
  })
  const markers = ['a', 'bad', 'b', 'stopped', 'never'].map((name) => uploads.add('draft', new File(['x'], name), (n) => `Uploading ${n}`))
  drafts.write('draft', { content: markers.join(' ') })
  assert.equal(new Set(markers).size, 5)
  uploads.drop(5)
  assert.equal(drafts.waited('draft').length, 4)
  await end()
  await end('a', 'bad')
  assert.equal(uploads.list.value.find((u) => u.name === 'b')?.part, 0.5)
  uploads.drop(4)
  await end('b', 'stopped', 'never')
  assert.equal(drafts.of('draft').value.content, '[a](/user_uploads/a) [b](/user_uploads/b) ')
  assert.deepEqual(uploads.list.value, [{ id: 2, draft: 'draft', name: 'bad', part: 0.5, failed: 'Too large.' }])
  assert.equal(most, 2)
  uploads.move('draft', 'moved')
  assert.equal(uploads.list.value[0]?.draft, 'moved')
  uploads.dropRefused('moved')
  assert.deepEqual(uploads.list.value, [])
})

test('a file that can be tried again stays when its draft is sent', async () => {
  const uploads = new Uploads(new Drafts(none), () => Promise.reject(new CallError('Later.', 503, '', 0)))
  uploads.add('draft', new File(['x'], 'later'), (n) => n)
  await new Promise(setImmediate)
  uploads.refuse('draft', 'large', 'Too large.')
  uploads.dropRefused('draft')
  assert.deepEqual(uploads.list.value.map((u) => u.name), ['later'])
})

test('whoever is signed out sends no more files', async () => {
  const drafts = new Drafts(none)
  const stopped: string[] = []
  const uploads = new Uploads(drafts, (file, stop) => new Promise((_, reject) => stop.addEventListener('abort', () => (stopped.push(file.name), reject(stop.reason)))))
  const markers = ['a', 'b', 'waits'].map((name) => uploads.add('draft', new File(['x'], name), (n) => `Uploading ${n}`))
  drafts.write('draft', { content: `See ${markers.join('')}` })
  await new Promise(setImmediate)
  uploads.end()
  await new Promise(setImmediate)
  assert.deepEqual(stopped, ['a', 'b'])
  assert.equal(drafts.of('draft').value.content, 'See ')
})
