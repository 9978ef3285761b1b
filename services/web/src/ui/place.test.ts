import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clamped } from './place'

const screen = { width: 1000, height: 800, rtl: false }
const size = { width: 200, height: 300 }
const box = (left: number, top: number) => ({ left, right: left + 30, top, bottom: top + 30 })

test('what opens is on the screen, below what it belongs to or above', () => {
  assert.deepEqual(clamped(box(100, 100), size, screen), { left: 100, top: 134 })
  assert.deepEqual(clamped(box(900, 700), size, screen), { left: 730, top: 396 })
  assert.deepEqual(clamped(box(900, 100), size, { ...screen, rtl: true }), { left: 792, top: 134 })
  assert.deepEqual(clamped(box(900, 100), size, screen), { left: 730, top: 134 })
  assert.deepEqual(clamped(box(10, 390), { width: 380, height: 790 }, { width: 390, height: 800, rtl: false }), { left: 8, top: 8 })
})
