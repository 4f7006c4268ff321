// Every column that goes through a block comes back the same, whatever its values, gaps and length;
// and what is regular takes little room.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Column } from '../../../column/column.js'
import { valueAt } from '../../../column/column.js'
import { ByteReader } from './byte-reader.js'
import { ByteWriter } from './byte-writer.js'
import { ColumnBuffer, readColumn, writeColumn } from './column-block.js'
import { writeTimes } from './time-block.js'

const buffer = new ColumnBuffer()

function roundTrip(column: Column, rowCount: number): { column: Column; byteCount: number } {
  const writer = new ByteWriter(64)
  writeColumn(writer, column, rowCount)
  const bytes = writer.written().slice()
  return {
    column: readColumn(new ByteReader(bytes, 'block'), rowCount, buffer),
    byteCount: bytes.length,
  }
}

function expectSame(column: Column, rowCount: number): number {
  const result = roundTrip(column, rowCount)
  expectPart(column, rowCount)
  for (let i = 0; i < rowCount; i++) {
    const wanted = valueAt(column, i)
    const got = valueAt(result.column, i)
    if (!Object.is(got, wanted)) expect.fail(`row ${i}: ${got} instead of ${wanted}`)
  }
  return result.byteCount
}

/** Sixty rows from the middle, into arrays that hold something else. */
function expectPart(column: Column, rowCount: number): void {
  const writer = new ByteWriter(64)
  writeColumn(writer, column, rowCount)
  const from = rowCount >>> 1
  const to = Math.min(rowCount, from + 60)
  const reader = new ByteReader(writer.written().slice(), 'block')
  const part = readColumn(reader, rowCount, new ColumnBuffer(), from, to)
  for (let i = from; i < to; i++) {
    const [wanted, got] = [valueAt(column, i), valueAt(part, i)]
    if (!Object.is(got, wanted)) expect.fail(`row ${i} of a part: ${got} instead of ${wanted}`)
  }
}

function integers(values: number[], validity?: number[]): Column {
  return {
    type: 'integer',
    values: Float64Array.from(values),
    validity: validity && Uint8Array.from(validity),
  }
}

const lengths = fc.integer({ min: 1, max: 700 })

/** Values with structure, because that is what the schemes look for: walks, steps, outliers, repeats. */
function shaped(value: fc.Arbitrary<number>): fc.Arbitrary<number[]> {
  return fc
    .tuple(lengths, value, value, fc.array(value, { minLength: 1, maxLength: 5 }), fc.nat(3))
    .map(([length, start, step, others, shape]) =>
      Array.from({ length }, (_, i) => {
        if (shape === 0) return start
        if (shape === 1) return Math.trunc(start / 4096) + Math.trunc(step / 4096) * (i % 1024)
        if (shape === 2) return i % 97 === 0 ? others[i % others.length] : start
        return others[(i * 7) % others.length]
      }),
    )
}

const safeInteger = fc.oneof(
  fc.integer({ min: -200, max: 200 }),
  fc.integer(),
  fc.maxSafeInteger(),
  fc.constantFrom(0, 2 ** 31, -(2 ** 31), 2 ** 32, 2 ** 50, 2 ** 53 - 1, -(2 ** 53) + 1),
)

describe('round trip', () => {
  test('integers', () => {
    fc.assert(
      fc.property(
        shaped(safeInteger),
        (values) => void expectSame(integers(values), values.length),
      ),
    )
  })

  test('floats', () => {
    const float = fc.oneof(
      fc.double({ noNaN: true }),
      fc.integer({ min: -1e6, max: 1e6 }).map((n) => n / 1000),
      fc.constantFrom(0, -0, 5e-324, 1.7976931348623157e308, 0.1, 1 / 3, 1e22, 1e-15),
    )
    const column = fc.oneof(shaped(float), fc.array(float, { minLength: 1, maxLength: 300 }))
    fc.assert(
      fc.property(column, (values) => {
        const floats: Column = {
          type: 'float',
          values: Float64Array.from(values),
          validity: undefined,
        }
        expectSame(floats, values.length)
      }),
    )
  })

  test('wide integers, both signs', () => {
    const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
    fc.assert(
      fc.property(fc.array(int64, { minLength: 1, maxLength: 300 }), (values) => {
        expectSame(
          { type: 'integer', values: BigInt64Array.from(values), validity: undefined },
          values.length,
        )
        const unsigned = BigUint64Array.from(values.map((v) => BigInt.asUintN(64, v)))
        expectSame({ type: 'unsigned', values: unsigned, validity: undefined }, values.length)
      }),
    )
  })

  test('booleans and gaps', () => {
    const row = fc.tuple(fc.boolean(), fc.boolean())
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 400 }), (rows) => {
        const values = Uint8Array.from(rows, ([value]) => Number(value))
        const validity = Uint8Array.from(rows, ([, has]) => Number(has))
        validity[0] = 1
        expectSame({ type: 'boolean', values, validity }, rows.length)
        expectSame(integers([...values], [...validity]), rows.length)
      }),
    )
  })

  test('strings', () => {
    const text = fc.oneof(fc.constantFrom('', 'a', 'ok', 'é°'), fc.string({ unit: 'binary' }))
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 300 }), (texts) => {
        expectSame(stringColumn(texts), texts.length)
      }),
    )
  })
})

test('parts of blocks of strings in turns, from one reader and another', () => {
  const texts = (name: string) => Array.from({ length: 300 }, (_, i) => `${name} ${i % 90}`)
  const bytesOf = (names: string[]) => {
    const writer = new ByteWriter(64)
    const starts = names.map((name) => {
      writer.align4()
      const start = writer.length
      writeColumn(writer, stringColumn(texts(name)), 300)
      return start
    })
    return { starts, bytes: writer.written().slice() }
  }
  const one = bytesOf(['a', 'b'])
  const other = bytesOf(['c', 'd'])
  const readers = [one, other].map(({ bytes }) => new ByteReader(bytes, 'block'))
  const shared = new ColumnBuffer()
  for (const name of [...'aabadcddcba']) {
    const at = 'abcd'.indexOf(name)
    const { starts, bytes } = at < 2 ? one : other
    const reader = readers[at >> 1]
    for (const from of [0, 130, 290]) {
      reader.select(starts[at % 2], bytes.length)
      const column = readColumn(reader, 300, shared, from, from + 10)
      expect(valueAt(column, from + 3)).toBe(`${name} ${(from + 3) % 90}`)
    }
  }
})

function stringColumn(texts: string[]): Column {
  const parts = texts.map((text) => Buffer.from(text.toWellFormed()))
  const offsets = new Uint32Array(texts.length + 1)
  parts.forEach((part, i) => {
    offsets[i + 1] = offsets[i] + part.length
  })
  return {
    type: 'string',
    values: Uint32Array.from(texts.keys()),
    dictionary: { offsets, bytes: Buffer.concat(parts), count: texts.length },
    validity: undefined,
  }
}

function bytesOfTimes(times: number[]): number {
  const writer = new ByteWriter(64)
  const series = { ends: [times.length], count: 1 }
  writeTimes(writer, Float64Array.from(times), times.length, series)
  return writer.length
}

describe('size', () => {
  const rows = 4096
  const from = (value: (i: number) => number) => Array.from({ length: rows }, (_, i) => value(i))

  test('a constant and regular times cost nothing per row', () => {
    expect(expectSame(integers(from(() => 7)), rows)).toBeLessThan(32)
    expect(bytesOfTimes(from((i) => 5e14 + i * 1e10))).toBeLessThan(96)
  })

  test('an integer that counts up costs some bytes a part', () => {
    expect(expectSame(integers(from((i) => 5e14 + i * 1e10)), rows)).toBeLessThan((rows / 128) * 10)
  })

  test('a gauge that moves by at most 3 costs 3 bits a row', () => {
    const gauge = integers(from((i) => 50 + ((i * i) % 4)))
    expect(expectSame(gauge, rows)).toBeLessThan((rows * 3) / 8 + 64)
  })

  test('times with a gap stay cheap', () => {
    expect(bytesOfTimes(from((i) => i * 1e10 + (i > 2000 ? 3.6e12 : 0)))).toBeLessThan(300)
  })

  test('decimals are stored as integers', () => {
    const floats = Float64Array.from(from((i) => ((i * 7919) % 1000) / 10))
    expect(expectSame({ type: 'float', values: floats, validity: undefined }, rows)).toBeLessThan(
      rows * 1.4,
    )
  })

  test('a few floats that are no decimals cost some bytes each', () => {
    const floats = Float64Array.from(from((i) => (i % 100 === 7 ? -0 : (i % 1000) / 10)))
    floats[500] = 1 / 3
    expect(expectSame({ type: 'float', values: floats, validity: undefined }, rows)).toBeLessThan(
      rows * 1.4,
    )
  })

  test('a repeated text is stored once', () => {
    const texts = from((i) => i).map((i) =>
      i % 50 === 0 ? 'the disk is nearly full' : 'all is well',
    )
    expect(expectSame(stringColumn(texts), rows)).toBeLessThan(rows / 4)
  })
})

test('bytes that are no block are an error with a place, never a wrong answer or a hang', () => {
  const bytes = fc.uint8Array({ minLength: 4, maxLength: 200 })
  fc.assert(
    fc.property(bytes, fc.integer({ min: 1, max: 300 }), (input, rowCount) => {
      try {
        readColumn(new ByteReader(input.slice(), 'block'), rowCount, new ColumnBuffer())
      } catch (error) {
        expect((error as Error).name).toMatch(/CorruptionError|Error/)
      }
    }),
  )
})
