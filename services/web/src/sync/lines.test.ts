import assert from 'node:assert/strict'
import { test } from 'node:test'
import { reader } from './lines'

test('events are whole, wherever the pieces end', () => {
  const text = 'retry: 500\n\n:\n\nid: 7\ndata: {"a":1}\n\nid: 8\ndata: {"b":"é\\n"}\n\n'
  for (let size = 1; size < text.length; size++) {
    const read = reader()
    const got = []
    for (let i = 0; i < text.length; i += size) {
      got.push(...read(text.slice(i, i + size)))
    }
    assert.deepEqual(got, [{ id: '7', data: '{"a":1}' }, { id: '8', data: '{"b":"é\\n"}' }])
  }
})
