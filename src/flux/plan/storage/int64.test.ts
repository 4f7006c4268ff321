// Halves of 32 bits must give the same as bigints do: on both sides of 1970, at the ends of what a float64 tells
// exactly, and where one half carries over into the other.

import { expect, it } from 'vitest'
import { seededRandom } from '../../../platform/random.js'
import { int64Moments, int64Steps, int64Values } from './int64.js'

const bases = [
  0n,
  -1n,
  1n,
  4_294_967_295n,
  -4_294_967_296n,
  1_704_067_200_000_000_000n,
  -(2n ** 62n),
]

function offsets(): Float64Array {
  const random = seededRandom(3)
  const some = [0, 1, -1, 2 ** 32, -(2 ** 32), 2 ** 53 - 1, -(2 ** 53 - 1), 4_294_967_295]
  for (let i = 0; i < 200; i++) some.push((random.below(2 ** 30) - 2 ** 29) * random.below(2 ** 23))
  return Float64Array.from(some)
}

it('adds offsets to a base', () => {
  const given = offsets()
  for (const base of bases) {
    const moments = int64Moments(base, given, given.length)
    expect([...moments]).toEqual(Array.from(given, (offset) => base + BigInt(offset)))
  }
})

it('takes integers over', () => {
  const given = offsets()
  expect([...int64Values(given, 1, given.length)]).toEqual([...given.subarray(1)].map(BigInt))
})

it('counts in steps', () => {
  for (const first of bases) {
    for (const step of [1n, 60_000_000_000n, 3_600_000_000_000n, 4_294_967_296n]) {
      const expected = Array.from({ length: 50 }, (_, i) => first + BigInt(i) * step)
      expect([...int64Steps(first, step, 50)]).toEqual(expected)
    }
  }
})
