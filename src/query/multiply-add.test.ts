// The fused multiply-add against exact arithmetic on fractions, above all where a second rounding
// would show.

import { expect, it } from 'vitest'
import { type Random, seededRandom } from '../platform/random.js'
import { fusedMultiplyAdd, plainMultiplyAdd } from './multiply-add.js'

/** A float as a whole number of 2^-1200. */
function exact(x: number): bigint {
  const bytes = new DataView(new ArrayBuffer(8))
  bytes.setFloat64(0, x)
  const bits = bytes.getBigUint64(0)
  const exponent = (bits >> 52n) & 0x7ffn
  const fraction = (bits & 0xfffffffffffffn) | (exponent === 0n ? 0n : 1n << 52n)
  const size = fraction << ((exponent === 0n ? 1n : exponent) - 1n + 126n)
  return bits >> 63n === 0n ? size : -size
}

const one = exact(1)

/** Rounded once: whole numbers beyond 2^53 become floats by rounding to the nearest, ties to even. */
function rounded(numerator: bigint): number {
  const size = numerator < 0n ? -numerator : numerator
  const excess = Math.max(0, size.toString(2).length - 1000)
  // A bit for all that is cut off keeps ties what they are.
  const kept = size >> BigInt(excess)
  const sticky = kept << BigInt(excess) === size ? 0n : 1n
  const float = Number(kept | sticky)
  const scaled = scale(float, excess - 2 * 1200)
  return numerator < 0n ? -scaled : scaled
}

function scale(x: number, power: number): number {
  let scaled = x
  for (let left = power; left !== 0; left -= Math.max(-500, Math.min(500, left))) {
    scaled *= 2 ** Math.max(-500, Math.min(500, left))
  }
  return scaled
}

function draw(random: Random): number {
  const shape = random.below(4)
  if (shape === 0) return random.below(64) - 32
  if (shape === 1) return (random.float() - 0.5) * 2 ** (random.below(20) - 10)
  if (shape === 2) return 1 + 2 ** -random.below(53)
  return (random.float() - 0.5) * 2 ** (random.below(200) - 100)
}

it.each([1, 2, 3, 4, 5])('rounds once, seed %i', (seed) => {
  const random = seededRandom(seed)
  expect(one).toBe(1n << 1200n)
  for (let run = 0; run < 4000; run++) {
    const [x, y] = [draw(random), draw(random)]
    // Often nearly the product's opposite, or as large as half its last digit: where it matters.
    const z = random.pick([draw(random), -x * y, x * y * 2 ** -53, -x * y * (1 + 2 ** -52)])
    const sum = exact(x) * exact(y) + exact(z) * one
    // Zero has no sign here.
    expect(fusedMultiplyAdd(x, y, z) + 0).toBe(rounded(sum) + 0)
  }
})

it('is not the plain one', () => {
  const x = 1 + 2 ** -30
  expect(plainMultiplyAdd(x, x, -1 - 2 ** -29)).toBe(0)
  expect(fusedMultiplyAdd(x, x, -1 - 2 ** -29)).toBe(2 ** -60)
})

it('leaves huge, tiny and special numbers to the plain one', () => {
  const { NaN: nan, POSITIVE_INFINITY: infinity } = Number
  for (const [x, y, z] of [
    [nan, 1, 1],
    [infinity, 0, 1],
    [1e300, 1e300, -infinity],
    [0, 5, 3],
    [1e-320, 1, 1],
  ]) {
    expect(fusedMultiplyAdd(x, y, z)).toBe(plainMultiplyAdd(x, y, z))
  }
})
