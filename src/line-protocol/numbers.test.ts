// Lines whose times and floats are of any length, odd bytes among them, against the language's own conversion of the
// same text.

import { expect, it } from 'vitest'
import { seededRandom } from '../platform/random.js'
import { LineProtocolParser, type Precision } from './parser.js'

const unitNs: Record<Precision, bigint> = {
  ns: 1n,
  us: 1000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
}

it('reads times after times of the same length, in every precision', () => {
  const random = seededRandom(3)
  for (const [precision, unit] of Object.entries(unitNs) as [Precision, bigint][]) {
    const parser = new LineProtocolParser()
    const digits = String(1_451_606_400_000_000_000n / unit).length
    const texts = Array.from({ length: 2000 }, () => {
      const length = random.below(20) === 0 ? 1 + random.below(digits) : digits
      const text = Array.from({ length }, () => random.below(10)).join('')
      const isOdd = random.below(20) === 0
      return isOdd
        ? `${text.slice(0, 3)}${['-', ':', '/', ' '][random.below(4)]}${text.slice(4)}`
        : text
    })
    // Each is a table of its own measurement, so that none depends on where the first one lies.
    const body = texts.map((text, i) => `m${i} f=1 ${text}\n`).join('')
    const { batch, errorCount } = parser.parse(Buffer.from(body), { precision, now: 0n })
    const timeOf = new Map(batch.tables.map((t) => [t.measurement, t.times.base]))
    const isTime = (text: string) =>
      /^-?\d+ *$/.test(text) && BigInt(text.trim()) * unit < 9_223_372_036_854_775_807n
    const wrong = texts.filter((text, i) => {
      const expected = isTime(text) ? BigInt(text.trim()) * unit : undefined
      return timeOf.get(`m${i}`) !== expected
    })
    expect(wrong).toEqual([])
    expect(errorCount).toBe(texts.filter((text) => !isTime(text)).length)
  }
})

it('reads floats of any length, to the last byte of a body', () => {
  const random = seededRandom(4)
  const parser = new LineProtocolParser()
  const wrong: string[] = []
  for (let i = 0; i < 20_000; i++) {
    const whole = String(random.below(10 ** (1 + random.below(9))))
    const fraction = Array.from({ length: random.below(24) }, () => random.below(10)).join('')
    const exponent = random.below(8) === 0 ? `e${random.below(30) - 15}` : ''
    const text = `${random.below(2) === 0 ? '-' : ''}${whole}.${fraction}${exponent}`
    const body = Buffer.from(
      `m f=${text}${random.below(2) === 0 ? ' 1' : ''}${random.below(2) === 0 ? '\n' : ''}`,
    )
    const { batch } = parser.parse(body, { precision: 'ns', now: 0n })
    if (!Object.is(batch.tables[0]?.fields[0].column.values[0], Number(text))) wrong.push(text)
    parser.release(batch)
  }
  expect(wrong).toEqual([])
})
