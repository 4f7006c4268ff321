// Numbers with many digits, against the language's own conversion: as programs print floats, any digits at all, and
// those that lie in the middle between two floats or a hair beside it.

import { expect, it } from 'vitest'
import { seededRandom } from '../platform/random.js'
import { nearestFloat, restDigitsMax } from './nearest-float.js'

/** As the scanner cuts it: digits as long as the head stays below 2^53, the rest, and where the point is. */
function nearest(text: string): number {
  const [whole, fraction] = text.split('.')
  const digits = whole + fraction
  let length = 0
  while (length < digits.length && Number(digits.slice(0, length + 1)) < 2 ** 53) length++
  const rest = digits.slice(length)
  return nearestFloat(Number(digits.slice(0, length)), Number(rest), rest.length, fraction.length)
}

function expectNearest(texts: readonly string[], unsureMax: number): void {
  const values = texts.map(nearest)
  const wrong = texts.filter((text, i) => !Number.isNaN(values[i]) && values[i] !== Number(text))
  expect(wrong).toEqual([])
  expect(values.filter((value) => Number.isNaN(value)).length).toBeLessThanOrEqual(unsureMax)
}

it('is right for what programs print, and always sure of it', () => {
  const random = seededRandom(1)
  const texts: string[] = []
  while (texts.length < 20_000) {
    const text = String(random.float() * 10 ** Math.floor(random.float() * 9 - 4))
    if (/^\d+\.\d+$/.test(text)) texts.push(text)
  }
  expectNearest(texts, 0)
})

it('is right for any digits', () => {
  const random = seededRandom(2)
  const texts = Array.from({ length: 20_000 }, () => {
    const digits = Array.from({ length: 17 + random.below(6) }, () => random.below(10)).join('')
    const at = Math.max(1, digits.length - 22 + random.below(20))
    return `${digits.slice(0, at)}.${digits.slice(at)}`
  })
  expectNearest(texts, texts.length / 50)
})

it('is right or says nothing in the middle between two floats and beside it', () => {
  const random = seededRandom(3)
  const texts: string[] = []
  while (texts.length < 5_000) {
    // Between 2^52 and 2^53 floats are whole numbers, so that all middles end in a half.
    const middle = `${2 ** 52 + Math.floor(random.float() * 2 ** 52)}.5`
    const odd = random.float() < 0.5 ? '' : `${'0'.repeat(random.below(5))}1`
    texts.push(middle + odd, `${middle.slice(0, -1)}4${'9'.repeat(1 + random.below(5))}`)
  }
  const longest = Math.max(...texts.map((text) => text.length))
  expect(longest).toBeLessThanOrEqual(17 + restDigitsMax)
  expectNearest(texts, texts.length)
})
