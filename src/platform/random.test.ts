// Seeds repeat exactly (kept seeds must keep meaning the same run), ranges are respected, and nothing is visibly
// lopsided.

import { describe, expect, it } from 'vitest'
import { seededRandom, systemRandom } from './random.js'

describe('seededRandom', () => {
  it('gives the same sequence for the same seed, for ever', () => {
    const random = seededRandom(42)
    const drawn = Array.from({ length: 4 }, () => random.uint32())
    expect(drawn).toEqual([851335563, 1922195644, 4066334954, 3828602319])
    expect(seededRandom(42).bytes(6)).toEqual(seededRandom(42).bytes(6))
  })

  it('gives different sequences for neighbouring and for large seeds', () => {
    const seeds = [0, 1, 2, -1, 2 ** 32, 2 ** 33, 2 ** 33 + 1]
    const firsts = new Set(seeds.map((seed) => seededRandom(seed).uint32()))
    expect(firsts.size).toBe(seeds.length)
  })
})

describe.each([
  ['seeded', seededRandom(7)],
  ['system', systemRandom],
])('%s random', (_, random) => {
  it('stays in range and reaches all of it', () => {
    const counts = new Array(10).fill(0)
    for (let i = 0; i < 10_000; i++) counts[random.below(10)]++
    for (const count of counts) expect(count).toBeGreaterThan(800)
    expect(random.below(1)).toBe(0)
    expect(random.below(2 ** 32)).toBeLessThan(2 ** 32)
    expect(() => random.below(0)).toThrow('BUG')
  })

  it('gives floats in [0, 1) around one half', () => {
    let sum = 0
    for (let i = 0; i < 10_000; i++) {
      const drawn = random.float()
      expect(drawn >= 0 && drawn < 1).toBe(true)
      sum += drawn
    }
    expect(sum / 10_000).toBeCloseTo(0.5, 1)
  })

  it('gives bytes and picks', () => {
    expect(random.bytes(0)).toHaveLength(0)
    const drawn = random.bytes(4099)
    expect(drawn).toHaveLength(4099)
    expect(new Set(drawn).size).toBe(256)
    expect(['a', 'b']).toContain(random.pick(['a', 'b']))
    expect(() => random.pick([])).toThrow('BUG')
  })
})
