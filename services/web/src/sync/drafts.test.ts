import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Drafts } from './drafts'
import type { Store } from './storage'

/** Keeps values as a browser does. */
function memory(): Store {
  const kept = new Map<string, string>()
  const store = {
    read: (name: string) => JSON.parse(kept.get(name) ?? 'null') ?? undefined,
    write: (name: string, value: unknown) => (value === undefined ? kept.delete(name) : kept.set(name, JSON.stringify(value))),
  }
  return store as unknown as Store
}

test('what was typed is there again, without what was waited for', () => {
  const store = memory()
  const drafts = new Drafts(store)
  drafts.mark('a', '[x…]()')
  drafts.write('a', { content: 'See [x…]() there' })
  assert.deepEqual(drafts.waited('a'), ['[x…]()'])
  assert.equal(new Drafts(store).of('a').value.content, 'See  there')
  drafts.resolve('a', '[x…]()', '[x](/$&)')
  assert.equal(new Drafts(store).of('a').value.content, 'See [x](/$&) there')
  assert.deepEqual(drafts.waited('a'), [])
  drafts.clear('a')
  assert.equal(new Drafts(store).of('a').value.content, '')
})

test('the field on screen is written by itself, and a marker that was removed stays so', () => {
  const drafts = new Drafts(memory())
  const replaced: unknown[] = []
  drafts.shown({ name: 'a', replace: (...part) => replaced.push(part) })
  for (const name of ['a', 'b', 'c']) {
    drafts.mark(name, '[m]()')
    drafts.write(name, { content: name === 'c' ? 'gone' : '- [m]()' })
    drafts.resolve(name, '[m]()', 'text')
  }
  assert.deepEqual(replaced, [[2, 7, 'text']])
  assert.equal(drafts.of('b').value.content, '- text')
  assert.equal(drafts.of('c').value.content, 'gone')
})

test('what another window typed is kept when this one sends its own', () => {
  const store = memory()
  const drafts = new Drafts(store)
  const other = new Drafts(store)
  drafts.write('a', { content: 'Mine' })
  other.write('a', { content: 'Theirs' })
  drafts.clear('a')
  assert.equal(new Drafts(store).of('a').value.content, 'Theirs')
  other.clear('a')
  assert.equal(new Drafts(store).of('a').value.content, '')
})
