import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Place } from '../state/conversation'
import type { Message } from '../state/model'
import { headingOf } from './groups'

test('a day begins once, on that of 25 hours, too', () => {
  process.env['TZ'] = 'Europe/Berlin'
  const at = (time: string) => ({ sender_id: 1, timestamp: Date.parse(time) / 1000 }) as Message
  const begins = (before: string, message: string) => headingOf(at(message), at(before), (): Place => ({ kind: 'private', people: [] })).day
  assert.equal(begins('2026-10-25T00:10+02:00', '2026-10-25T23:50+01:00'), false)
  assert.equal(begins('2026-10-25T23:50+01:00', '2026-10-26T00:10+01:00'), true)
  assert.equal(begins('2026-03-28T23:50+01:00', '2026-03-29T23:40+02:00'), true) // 23 hours
  assert.equal(begins('2026-09-25T12:00+02:00', '2026-10-25T12:00+01:00'), true)
})
