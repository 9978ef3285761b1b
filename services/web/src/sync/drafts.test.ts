import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { draftOf, Drafts, joined } from './drafts'
import type { Store } from './storage'

/** Keeps values as a browser does. */
function memory(kept = new Map<string, string>()): Store {
  const store = {
    read: (name: string) => JSON.parse(kept.get(name) ?? 'null') ?? undefined,
    write: (name: string, value: unknown) => (value === undefined ? kept.delete(name) : kept.set(name, JSON.stringify(value))),
    names: (prefix: string) => [...kept.keys()].filter((name) => name.startsWith(prefix)),
    follow: () => {},
  }
  return store as unknown as Store
}

/** Makes the stores of two windows, each of which hears of what the other one writes. */
function windows(): readonly [Store, Store] {
  const kept = new Map<string, string>()
  const hears: ((name: string) => void)[] = []
  const store = (own: number, other: number) => {
    const { read, write, names } = memory(kept)
    return {
      read,
      names,
      write: (name: string, value: unknown) => {
        write(name, value)
        hears[other]?.(name)
      },
      follow: (hear: (name: string) => void) => (hears[own] = hear),
    } as unknown as Store
  }
  return [store(0, 1), store(1, 0)]
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

test('of two texts of a draft, one that goes on from the other, or has it on its lines, is both', () => {
  assert.equal(joined('', 'b'), 'b')
  assert.equal(joined('The crane', 'The crane is red'), 'The crane is red')
  assert.equal(joined('a\n\nb', 'b'), 'a\n\nb')
  assert.equal(joined('ok', 'look'), 'ok\n\nlook')
  assert.equal(joined('a', 'b'), 'a\n\nb')
})

test('drafts are listed from the one that was changed last, with edits that changed something', (t) => {
  mock.timers.enable({ apis: ['Date'] })
  t.after(() => mock.timers.reset())
  const drafts = new Drafts(memory())
  for (const [name, content] of [['draft/1/a', 'first'], ['edit/7', 'Low'], ['edit/8', 'High'], ['draft/1/b', ' '], ['draft/1/c', 'last']] as const) {
    mock.timers.tick(1000)
    drafts.write(name, { content, ...(name.startsWith('edit/') ? { original: 'High' } : {}) })
  }
  assert.deepEqual(drafts.all().map(({ name, edits }) => [name, edits]), [['draft/1/c', undefined], ['edit/7', 7], ['draft/1/a', undefined]])
})

test('drafts that were left are counted, without those on screen', () => {
  const [store, other] = windows()
  const drafts = new Drafts(store)
  assert.equal(drafts.left.value, 0)
  const leave = drafts.shown({ name: 'draft/1/a', replace: () => {} })
  drafts.write('draft/1/a', { content: 'begun' })
  assert.equal(drafts.left.value, 0)
  leave()
  assert.equal(drafts.left.value, 1)
  new Drafts(other).write('draft/1/b', { content: 'elsewhere' })
  assert.equal(drafts.left.value, 2)
  drafts.clear('draft/1/a')
  assert.equal(drafts.left.value, 1)
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

test('what is typed in one window is in another one that had shown the draft before', () => {
  const [a, b] = windows().map((store) => new Drafts(store)) as [Drafts, Drafts]
  assert.equal(b.of('draft/a').value.content, '')
  a.write('draft/a', { content: 'A long text' })
  assert.equal(b.of('draft/a').value.content, 'A long text')
  b.write('draft/a', { content: 'A long text, and more' })
  assert.equal(a.of('draft/a').value.content, 'A long text, and more')
  b.clear('draft/a')
  assert.equal(a.of('draft/a').value.content, '')
})

test('what waits for a file, and an edit on screen, stay as they are whatever another window does', () => {
  const [a, b] = windows().map((store) => new Drafts(store)) as [Drafts, Drafts]
  a.mark('draft/a', '[x…]()')
  a.write('draft/a', { content: 'See [x…]()' })
  b.write('draft/a', { content: 'See that' })
  assert.equal(a.of('draft/a').value.content, 'See [x…]()')
  a.resolve('draft/a', '[x…]()', '[x](/x)')
  assert.equal(b.of('draft/a').value.content, 'See [x](/x)')
  a.write('edit/1', { content: 'Changed' })
  a.shown({ name: 'edit/1', replace: () => {} })
  b.clear('edit/1')
  assert.equal(a.of('edit/1').value.content, 'Changed')
})

test('what was typed goes with a topic that is moved, in the same field and with what it waits for', () => {
  const store = memory()
  const drafts = new Drafts(store)
  const topic = (name: string) => ({ kind: 'topic', stream: 7, topic: name }) as const
  const at = (name: string) => drafts.of(draftOf(topic(name))).value
  const field = () => drafts.fieldName(draftOf(topic('Done')))
  drafts.write(draftOf(topic('apart')), { content: 'Half a [m]()', place: topic('apart') })
  drafts.mark(draftOf(topic('apart')), '[m]()')
  const leave = drafts.shown({ name: draftOf(topic('apart')), replace: () => {} })
  const before = drafts.fieldName(draftOf(topic('apart')))
  drafts.move(topic('apart'), topic('Done'))
  leave()
  assert.deepEqual([at('apart').content, at('done').content, at('done').place], ['', 'Half a [m]()', topic('Done')])
  assert.equal(field(), before)
  assert.notEqual(drafts.fieldName(draftOf(topic('apart'))), before)
  assert.deepEqual(drafts.waited(draftOf(topic('Done'))), ['[m]()'])
  drafts.resolve(draftOf(topic('apart')), '[m]()', 'message')
  assert.equal(at('done').content, 'Half a message')
  assert.equal(new Drafts(store).of(draftOf(topic('done'))).value.content, 'Half a message')

  drafts.write(draftOf(topic('b')), { content: 'Of b' })
  drafts.move(topic('b'), topic('done')) // nobody looks at it
  assert.deepEqual([at('b').content, at('done').content], ['Of b', 'Half a message'])
  drafts.shown({ name: draftOf(topic('b')), replace: () => {} })
  drafts.move(topic('b'), topic('done'))
  assert.deepEqual([at('b').content, at('done').content], ['', 'Half a message\n\nOf b'])
})

test('windows that all have a draft move it once', () => {
  const store = memory()
  const [from, to] = [{ kind: 'topic', stream: 7, topic: 'a' }, { kind: 'topic', stream: 7, topic: 'b' }] as const
  const [writing, other, third] = [new Drafts(store), new Drafts(store), new Drafts(store)]
  writing.shown({ name: draftOf(from), replace: () => {} })
  writing.write(draftOf(from), { content: 'Half' })
  for (const drafts of [other, third]) {
    assert.equal(drafts.of(draftOf(from)).value.content, 'Half')
  }
  writing.write(draftOf(from), { content: 'Half a message' })
  for (const drafts of [other, writing, third]) {
    drafts.move(from, to)
  }
  assert.equal(writing.of(draftOf(to)).value.content, 'Half a message')
  assert.equal(new Drafts(store).of(draftOf(to)).value.content, 'Half a message')
  assert.equal(new Drafts(store).of(draftOf(from)).value.content, '')
})
