// When the shard of a moment begins and ends: by InfluxDB's calendar, and beside shards that are there and were cut
// by another one.

import { expect, test } from 'vitest'
import { allTime, nsPerDay, nsPerHour, nsPerWeek } from '../column/time.js'
import { newShard, shardSpan } from './shards.js'

test('a shard of a week begins on a Monday, also before 1970', () => {
  // The first of January 1970 was a Thursday.
  const monday = -3n * nsPerDay
  const week = { start: monday, stop: monday + nsPerWeek }
  expect(newShard(0n, 0n, [])).toEqual(week)
  expect(newShard(week.start, 0n, [])).toEqual(week)
  expect(newShard(week.stop - 1n, 0n, [])).toEqual(week)
  expect(newShard(week.start - 1n, 0n, [])).toEqual({ start: monday - nsPerWeek, stop: monday })
})

test('short retentions have shards of days and hours', () => {
  const time = 100n * nsPerDay + 5n * nsPerHour + 1n
  const day = 100n * nsPerDay
  expect(newShard(time, 30n * nsPerDay, [])).toEqual({ start: day, stop: day + nsPerDay })
  const hour = day + 5n * nsPerHour
  expect(newShard(time, nsPerDay, [])).toEqual({ start: hour, stop: hour + nsPerHour })
})

test.each([
  [nsPerHour, nsPerHour],
  [2n * nsPerDay - 1n, nsPerHour],
  [2n * nsPerDay, nsPerDay],
  [180n * nsPerDay - 1n, nsPerDay],
  [180n * nsPerDay, nsPerWeek],
  [0n, nsPerWeek],
])('points that are kept for %d ns lie in shards of %d', (retentionNs, span) => {
  expect(shardSpan(retentionNs)).toBe(span)
})

test('the first and the last shard end where time ends', () => {
  expect(newShard(allTime.start, 0n, []).start).toBe(allTime.start)
  expect(newShard(allTime.stop - 1n, 0n, []).stop).toBe(allTime.stop)
})

test('a new shard takes what those leave that began on a Thursday', () => {
  const old = { start: 0n, stop: nsPerWeek }
  const monday = 4n * nsPerDay
  const behind = { start: nsPerWeek, stop: monday + nsPerWeek }
  expect(newShard(nsPerWeek, 0n, [old])).toEqual(behind)
  expect(newShard(behind.stop, 0n, [old, behind]).start).toBe(behind.stop)
  expect(newShard(-1n, 0n, [old])).toEqual({ start: -3n * nsPerDay, stop: 0n })
})
