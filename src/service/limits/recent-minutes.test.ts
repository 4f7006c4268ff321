// Counts of the last hour by minute: what becomes of old ones, of a clock that is set,
// and of several processes.

import { expect, it } from 'vitest'
import { addedCounts, minutesMax, RecentMinutes } from './recent-minutes.js'

it('counts by minute and forgets what is an hour old', () => {
  const recent = new RecentMinutes()
  recent.add(1000, 5)
  recent.add(1000, 7)
  recent.add(1002, 1)
  expect(recent.upTo(1003, 5)).toEqual({ requests: [0, 2, 0, 1, 0], bytes: [0, 12, 0, 1, 0] })
  const hour = recent.upTo(1059, minutesMax)
  expect([hour.bytes.length, hour.bytes[0], hour.bytes[2]]).toEqual([60, 12, 1])
  expect(recent.upTo(1060, minutesMax).bytes.slice(0, 3)).toEqual([0, 1, 0])
  recent.add(5000, 9)
  expect(recent.upTo(5000, minutesMax).bytes.filter((bytes) => bytes > 0)).toEqual([9])
})

it('begins anew where the clock is set back', () => {
  const recent = new RecentMinutes()
  recent.add(1000, 5)
  recent.add(990, 3)
  expect(recent.upTo(990, 2).bytes).toEqual([0, 3])
  expect(recent.upTo(1000, 11).bytes).toEqual([3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
})

it('adds up processes of which each knows the minutes that it lived through', () => {
  const old = { requests: [1, 1, 1], bytes: [10, 20, 30] }
  const young = { requests: [2], bytes: [5] }
  expect(addedCounts([young, old])).toEqual({ requests: [1, 1, 3], bytes: [10, 20, 35] })
})
