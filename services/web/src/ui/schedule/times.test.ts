import assert from 'node:assert/strict'
import { test } from 'node:test'
import { localOf, offers, timeOf } from './times'

test('times to send something later', () => {
  const of = (now: Date) => offers(now).map((offer) => localOf(timeOf(offer, now)))
  const thursday = new Date(2026, 10, 26, 14, 5)
  assert.deepEqual(of(thursday), ['2026-11-26T14:25', '2026-11-26T15:05', '2026-11-26T18:00', '2026-11-27T09:00', '2026-11-30T09:00'])
  const sundayEvening = new Date(2026, 10, 29, 20, 0)
  assert.deepEqual(of(sundayEvening), ['2026-11-29T20:20', '2026-11-29T21:00', '2026-11-30T09:00'])
  const monday = new Date(2026, 10, 30, 17, 30)
  assert.deepEqual(of(monday), ['2026-11-30T17:50', '2026-11-30T18:30', '2026-12-01T09:00', '2026-12-07T09:00'])
})
