// The numbers that programs in Go know: the first of seed 1, and normal deviates of seed 123; then what
// a normal distribution looks like from afar.

import { expect, it } from 'vitest'
import { GoRandom } from './go-random.js'

it('draws what Go draws below a bound', () => {
  const random = new GoRandom(1n)
  expect(Array.from({ length: 6 }, () => random.below(100))).toEqual([81, 87, 47, 59, 81, 18])
})

it('draws floats and normal deviates', () => {
  expect(new GoRandom(1n).float()).toBe(0.6046602879796196)
  const random = new GoRandom(123n)
  expect(random.normal() * 50).toBe(-39.7289264835779)
  expect(random.normal() * 50).toBe(3.561659508431711)
})

it('has the mean, the spread and the tails of a normal distribution', () => {
  const random = new GoRandom(-7n)
  const count = 100_000
  let sum = 0
  let squares = 0
  let beyond = 0
  for (let i = 0; i < count; i++) {
    const value = random.normal()
    sum += value
    squares += value * value
    // Where the ziggurat's tail begins: 57 in 100,000.
    if (Math.abs(value) > 3.4426) beyond++
  }
  expect(Math.abs(sum / count)).toBeLessThan(0.02)
  expect(Math.abs(squares / count - 1)).toBeLessThan(0.03)
  expect(beyond).toBeGreaterThan(25)
  expect(beyond).toBeLessThan(100)
})
