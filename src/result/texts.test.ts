// Numbers, moments and strings as text against what JavaScript itself prints, over random values: the
// quick ways that most values take must not differ from the slow ones.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { putJsonString } from './json-string.js'
import { type EpochUnit, MomentText } from './moment-text.js'
import { putFloat, putInteger, putPlainFloat } from './number-text.js'

const bytes = Buffer.alloc(4096)
const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
const print = (put: (at: number) => number) => bytes.toString('latin1', 0, put(0))

/** Values with few decimals come by ways of their own: they must be met often. */
const decimal = fc
  .tuple(fc.integer(), fc.integer({ min: 0, max: 9 }))
  .map(([digits, decimals]) => Number(`${digits}e-${decimals}`))
const float = fc.oneof(decimal, fc.double({ noNaN: true, noDefaultInfinity: true }))

test('floats', () => {
  fc.assert(
    fc.property(float, (value) => {
      const text = Object.is(value, -0) ? '-0' : String(value)
      expect(print((at) => putFloat(view, at, value))).toBe(text)
    }),
    { numRuns: 3000 },
  )
})

test('floats without an exponent read back as themselves', () => {
  fc.assert(
    fc.property(float, (value) => {
      const text = print((at) => putPlainFloat(view, at, value))
      expect(text).toMatch(/^-?\d+(\.\d+)?$/)
      expect(Object.is(Number(text), value)).toBe(true)
    }),
    { numRuns: 3000 },
  )
})

test('integers', () => {
  const integer = fc.oneof(fc.integer(), fc.maxSafeInteger())
  fc.assert(
    fc.property(integer, (value) => {
      expect(print((at) => putInteger(view, at, value))).toBe(String(value))
    }),
    { numRuns: 3000 },
  )
})

const nsMax = 9223372036854775806n
const time = fc.oneof(
  fc.bigInt({ min: -nsMax, max: nsMax }),
  fc
    .bigInt({ min: -nsMax / 1_000_000_000n, max: nsMax / 1_000_000_000n })
    .map((s) => s * 1_000_000_000n),
  fc.bigInt({ min: -2_000_000_000n, max: 2_000_000_000n }),
)
/** How far the column's base lies from the moment. */
const distance = fc.maxSafeInteger()

function momentsOf(of: bigint, offset: number): MomentText {
  const moments = new MomentText()
  moments.use({ base: of - BigInt(offset), offsets: Float64Array.of(offset) }, undefined)
  return moments
}

test('moments as RFC3339', () => {
  fc.assert(
    fc.property(time, distance, (of, offset) => {
      const moments = momentsOf(of, offset)
      const seconds =
        of >= 0n || of % 1_000_000_000n === 0n ? of / 1_000_000_000n : of / 1_000_000_000n - 1n
      const fraction = String(of - seconds * 1_000_000_000n)
        .padStart(9, '0')
        .replace(/0+$/, '')
      const date = new Date(Number(seconds) * 1000).toISOString().slice(0, 19)
      const text = `${date}${fraction === '' ? '' : `.${fraction}`}Z`
      expect(print((at) => moments.putRfc3339(view, at, 0))).toBe(text)
    }),
    { numRuns: 3000 },
  )
})

test('moments as numbers since 1970', () => {
  const units: Record<EpochUnit, bigint> = {
    ns: 1n,
    us: 1000n,
    ms: 1_000_000n,
    s: 1_000_000_000n,
    m: 60_000_000_000n,
    h: 3_600_000_000_000n,
  }
  const unit = fc.constantFrom(...(Object.keys(units) as EpochUnit[]))
  fc.assert(
    fc.property(time, distance, unit, (of, offset, name) => {
      const moments = momentsOf(of, offset)
      const text = String(of / units[name])
      expect(print((at) => moments.putEpoch(view, at, 0, name))).toBe(text)
      expect(moments.epoch(0, name)).toBe(of / units[name])
    }),
    { numRuns: 3000 },
  )
})

test('moments that come again, in rows that follow each other or not', () => {
  const offset = fc.constantFrom(0, 1, 999_999_999, 10 ** 10, -1, -(10 ** 10), 2 ** 52)
  const row = fc.record({ offset, unit: fc.constantFrom<EpochUnit>('ns', 's'), isNew: fc.nat(20) })
  fc.assert(
    fc.property(time, fc.array(row, { maxLength: 40 }), (first, rows) => {
      const moments = new MomentText()
      const offsets = Float64Array.from(rows, (each) => each.offset)
      let base = first
      moments.use({ base, offsets }, undefined)
      for (const [i, { unit, isNew }] of rows.entries()) {
        // Another column, whose offsets are the same and whose moments are not.
        if (isNew === 0) base = -base / 2n
        if (isNew === 0) moments.use({ base, offsets }, undefined)
        const of = base + BigInt(offsets[i])
        const text = String(unit === 'ns' ? of : of / 1_000_000_000n)
        expect(print((at) => moments.putEpoch(view, at, i, unit))).toBe(text)
      }
    }),
    { numRuns: 1000 },
  )
})

test('strings read back as what they are, whatever their bytes', () => {
  const byte = fc.oneof(
    fc.integer({ min: 0, max: 255 }),
    fc.constantFrom(0xe2, 0x80, 0xa8, 0xa9, 0xf0, 0x9f, 0x99, 0x82, 0xc3, 0xed, 0x22, 0x5c, 0x3c),
  )
  fc.assert(
    fc.property(fc.uint8Array(), fc.array(byte, { maxLength: 40 }), (random, chosen) => {
      const source = Buffer.from([...random, ...chosen])
      const end = putJsonString(view, 0, source, 0, source.length)
      const text = bytes.toString('utf8', 0, end)
      expect(text).not.toMatch(/[<>&\u2028\u2029]/)
      // Where bytes are no UTF-8, Go counts each of them and JavaScript may count several as one.
      const once = (value: string) => value.replace(/\ufffd+/g, '\ufffd')
      expect(once(JSON.parse(text))).toBe(once(source.toString()))
    }),
    { numRuns: 3000 },
  )
})
