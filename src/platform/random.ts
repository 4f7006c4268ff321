// Randomness as everybody here sees it: passed in, so that a test can repeat a run from its seed. `systemRandom` is for
// identifiers and secrets; `seededRandom` is for tests and simulations, and must never make a secret.

import { randomFillSync } from 'node:crypto'
import { assert } from '../errors.js'

export interface Random {
  uint32(): number
  /** An integer in [0, n), each equally likely; n from 1 to 2^32. */
  below(n: number): number
  /** A number in [0, 1) with 53 random bits. */
  float(): number
  bytes(n: number): Uint8Array
  pick<T>(xs: readonly T[]): T
}

const uint32Range = 2 ** 32

/** Everything a Random can do follows from its 32-bit source. */
class RandomFrom implements Random {
  readonly uint32: () => number

  constructor(uint32: () => number) {
    this.uint32 = uint32
  }

  below(n: number): number {
    assert(Number.isInteger(n) && n >= 1 && n <= uint32Range, `random number below ${n}`)
    // The last, incomplete stretch of n is thrown away: taking the remainder of it would favour small numbers.
    const usable = uint32Range - (uint32Range % n)
    for (;;) {
      const drawn = this.uint32()
      if (drawn < usable) return drawn % n
    }
  }

  float(): number {
    const high = this.uint32() >>> 5
    const low = this.uint32() >>> 6
    return (high * 2 ** 26 + low) / 2 ** 53
  }

  bytes(n: number): Uint8Array {
    const out = new Uint8Array(n)
    for (let at = 0; at < n; at += 4) {
      const word = this.uint32()
      const end = Math.min(n, at + 4)
      for (let i = at; i < end; i++) out[i] = word >>> (8 * (i - at))
    }
    return out
  }

  pick<T>(xs: readonly T[]): T {
    assert(xs.length > 0, 'pick from an empty list')
    return xs[this.below(xs.length)]
  }
}

/**
 * The same seed gives the same sequence on every machine and in every version: failing seeds are kept as tests, so the
 * generator (sfc32, 128 bits of state) and its seeding never change.
 */
export function seededRandom(seed: number): Random {
  // The golden ratio's and two more odd constants: any three values that are not alike will do.
  let a = seed | 0
  let b = Math.floor(seed / uint32Range) ^ 0x9e3779b9
  let c = 0x85ebca6b
  let counter = 1
  const next = () => {
    const out = (((a + b) | 0) + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + out) | 0
    return out >>> 0
  }
  // Neighbouring seeds start alike; fifteen rounds mix every bit of the state.
  for (let round = 0; round < 15; round++) next()
  return new RandomFrom(next)
}

/** The kernel is asked for a page at a time: one call per number would cost about a microsecond. */
function systemNumbers(): () => number {
  const pool = new Uint32Array(256)
  let used = pool.length
  return () => {
    if (used === pool.length) {
      randomFillSync(pool)
      used = 0
    }
    const drawn = pool[used]
    // A number handed out may become part of a secret: it does not stay behind in memory.
    pool[used++] = 0
    return drawn
  }
}

/** From the operating system: fit for secrets. */
export const systemRandom: Random = new RandomFrom(systemNumbers())
