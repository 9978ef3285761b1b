import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isQuiet } from './quiet'

test('it is quiet until a time, and every night', () => {
  const at = (hour: number, minute = 0) => new Date(2026, 10, 29, hour, minute)
  assert.equal(isQuiet({}, at(3)), false)
  assert.equal(isQuiet({ until: at(12).getTime() }, at(11, 59)), true)
  assert.equal(isQuiet({ until: at(12).getTime() }, at(12)), false)
  const nights = (from: string, until: string) => Array.from({ length: 24 }, (_, hour) => hour).filter((hour) => isQuiet({ nights: [from, until] }, at(hour)))
  assert.deepEqual(nights('22:00', '03:30'), [0, 1, 2, 3, 22, 23])
  assert.deepEqual(nights('09:00', '11:00'), [9, 10])
  assert.deepEqual(nights('09:00', '09:00'), [])
  assert.equal(isQuiet({ nights: ['22:00', '07:30'] }, at(7, 30)), false)
})
