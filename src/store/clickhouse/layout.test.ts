// Spans of time by their numbers: those of measurements that are made now are shards, and those of measurements that
// were made earlier stay what they were.

import { expect, test } from 'vitest'
import { allTime, nsPerDay, nsPerHour, nsPerWeek } from '../../column/time.js'
import { newShard } from '../shards.js'
import { classOf, spanOf, spanRange, spanStart } from './layout.js'

/** Of measurements that are stored with it already. */
const thursdays = 3

test('a measurement that is made now has the spans that shards have', () => {
  const classes = new Set<number>()
  for (const retentionNs of [0n, 400n * nsPerDay, 30n * nsPerDay, nsPerDay]) {
    const spanClass = classOf(retentionNs)
    classes.add(spanClass)
    for (const time of [0n, -1n, 5n * nsPerDay, 1_700_000_000_000_000_000n]) {
      const span = spanOf(time, spanClass)
      expect(spanRange(span, spanClass)).toEqual(newShard(time, retentionNs, []))
    }
  }
  expect([...classes]).toEqual([4, 2, 1])
})

test('the weeks of one that was made earlier still begin on Thursdays', () => {
  expect(spanOf(0n, thursdays)).toBe(0n)
  expect(spanOf(nsPerWeek - 1n, thursdays)).toBe(0n)
  expect(spanOf(-1n, thursdays)).toBe(-1n)
  expect(spanRange(2n, thursdays)).toEqual({ start: 2n * nsPerWeek, stop: 3n * nsPerWeek })
})

test('a span begins at its start, and not before it', () => {
  for (const spanClass of [1, 2, thursdays, 4]) {
    for (const span of [-3n, 0n, 2_800n]) {
      const start = spanStart(span, spanClass)
      expect(spanOf(start, spanClass)).toBe(span)
      expect(spanOf(start - 1n, spanClass)).toBe(span - 1n)
    }
  }
  expect(spanOf(nsPerHour, 1)).toBe(1n)
  expect(spanRange(spanOf(allTime.start, 4), 4).start).toBe(allTime.start)
})
