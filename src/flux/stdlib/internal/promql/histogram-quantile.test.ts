// Quantiles of buckets in the cases that Prometheus names one by one: missing and merged buckets, counts
// that fall, and both ends.

import { expect, it } from 'vitest'
import { bucketQuantile } from './histogram-quantile.js'

const buckets = (...pairs: [bound: number, count: number][]) =>
  pairs.map(([bound, count]) => ({ bound, count }))

const usual = buckets([0.1, 10], [0.2, 30], [1, 40], [Infinity, 50])

it('lies between the bounds by straight lines', () => {
  expect(bucketQuantile(0.1, usual)).toBeCloseTo(0.05, 12)
  expect(bucketQuantile(0.4, usual)).toBeCloseTo(0.15, 12)
  expect(bucketQuantile(0.7, usual)).toBeCloseTo(0.6, 12)
})

it('is the last finite bound in the last bucket', () => {
  expect(bucketQuantile(0.95, usual)).toBe(1)
})

it('is infinite outside of its range', () => {
  expect(bucketQuantile(-0.1, usual)).toBe(-Infinity)
  expect(bucketQuantile(1.1, usual)).toBe(Infinity)
})

it('is no number where buckets are missing', () => {
  expect(bucketQuantile(0.5, [])).toBeNaN()
  expect(bucketQuantile(0.5, buckets([Infinity, 3]))).toBeNaN()
  expect(bucketQuantile(0.5, buckets([1, 3], [2, 4]))).toBeNaN()
})

it('does not go below a first bound that is not positive', () => {
  expect(bucketQuantile(0.1, buckets([-2, 10], [3, 20], [Infinity, 20]))).toBe(-2)
})

it('adds up equal bounds and lifts counts that fall', () => {
  const twice = buckets([1, 2], [1, 2], [2, 3], [Infinity, 8])
  expect(bucketQuantile(0.25, twice)).toBe(0.5)
  expect(bucketQuantile(0.5, twice)).toBe(1)
  expect(bucketQuantile(0.6, twice)).toBe(2)
})
