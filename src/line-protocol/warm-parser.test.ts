// What a parser remembers may only change the speed. So one that has seen much, and often something else than what
// comes, must answer exactly as a fresh one does: for orderly lines, shuffled ones, broken ones and random bytes.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FastLines } from './fast-lines.js'
import { LineProtocolParser, type ParseResult, type ParserOptions } from './parser.js'
import { printWriteBatch } from './printer.js'

const options = { precision: 'ns', now: 42n } as const

/** Reads what it can by the kernels, however short the body is. */
function fastParser(parserOptions: ParserOptions = {}): LineProtocolParser {
  return new LineProtocolParser({ ...parserOptions, fastLines: (scan) => new FastLines(scan, 0) })
}

/** Everything that a caller sees, except the numbers of the series. */
function described(result: ParseResult): unknown {
  return {
    lines: printWriteBatch(result.batch),
    tables: result.batch.tables.map((table) => ({
      measurement: table.measurement,
      base: table.times.base,
      lines: [...table.lines.subarray(0, table.rowCount)],
      fields: table.fields.map(({ name, column }) => {
        const { rowCount } = table
        const values = column.type === 'string' ? [] : [...column.values.subarray(0, rowCount)]
        const validity = column.validity && [...column.validity.subarray(0, rowCount)]
        return { name, type: column.type, values, validity }
      }),
    })),
    pointCount: result.batch.pointCount,
    errors: result.errors,
    errorCount: result.errorCount,
    lineCount: result.lineCount,
  }
}

function fresh(body: Uint8Array): unknown {
  return described(new LineProtocolParser().parse(body, options))
}

/** Lines out of few parts, so that what is remembered fits, nearly fits and does not. */
const line = fc
  .record({
    key: fc.constantFrom('cpu,host=a', 'cpu,host=b', 'cpu,host=ab', 'cpu', 'mem,host=a', 'cp\\ u'),
    fields: fc.array(
      fc.tuple(
        fc.constantFrom('u', 'us', 'user', 'usage_user', 'usage_use', 'f\\ g'),
        fc.constantFrom(
          ...['1i', '1', '-2i', '12345678901i', '1.5', 't', '"x"', '"y\\"\nz"', '1u'],
          ...['9223372036854775807i', 'bad', '"', '-', '0.1234567890123456789'],
        ),
      ),
      { minLength: 1, maxLength: 4 },
    ),
    time: fc.constantFrom(' 1', ' 2', ' 1451606400000000000', ' 1451606400000000001', '', ' x'),
    end: fc.constantFrom('\n', '\n', '\n', '\r\n', '\n\n', '\n# c\n', ' \n'),
  })
  .map(({ key, fields, time, end }) => {
    return `${key} ${fields.map(([name, value]) => `${name}=${value}`).join(',')}${time}${end}`
  })

describe('a warm parser answers as a fresh one', () => {
  test('over requests of recurring parts', () => {
    const warm = fastParser()
    fc.assert(
      fc.property(fc.array(line, { maxLength: 30 }), (parts) => {
        const body = Buffer.from(parts.join(''))
        const result = warm.parse(body, options)
        expect(described(result)).toEqual(fresh(body))
        warm.release(result.batch)
      }),
      { numRuns: 500 },
    )
  })

  test('over mutated lines', () => {
    const warm = fastParser()
    const mutation = fc.tuple(fc.nat(2000), fc.constantFrom(...', =\\"\n\r#i.-e19tu\x00\xff'))
    fc.assert(
      fc.property(fc.array(line, { maxLength: 10 }), fc.array(mutation), (parts, mutations) => {
        const body = Buffer.from(parts.join(''))
        for (const [at, c] of mutations) if (at < body.length) body[at] = c.charCodeAt(0)
        const result = warm.parse(body, options)
        expect(described(result)).toEqual(fresh(body))
        warm.release(result.batch)
      }),
      { numRuns: 700 },
    )
  })

  test('over random bytes', () => {
    const warm = fastParser()
    const byte = fc.oneof(fc.nat(255), fc.constantFrom(...Buffer.from(', =\\"\n\r#i1')))
    fc.assert(
      fc.property(fc.array(byte, { maxLength: 200 }), (values) => {
        const body = Uint8Array.from(values)
        expect(described(warm.parse(body, options))).toEqual(fresh(body))
      }),
      { numRuns: 1000 },
    )
  })

  test('with a vocabulary that is thrown away all the time', () => {
    const forgetful = fastParser({ seriesBytesMax: 300 })
    fc.assert(
      fc.property(fc.array(line, { maxLength: 20 }), (parts) => {
        const body = Buffer.from(parts.join(''))
        expect(described(forgetful.parse(body, options))).toEqual(fresh(body))
      }),
      { numRuns: 200 },
    )
  })
})

test('two requests cut at a line end hold the points of one', () => {
  const good = line.filter((text) => parseFresh(text).errorCount === 0)
  fc.assert(
    fc.property(fc.array(good, { maxLength: 20 }), fc.nat(20), (parts, cut) => {
      const parser = fastParser()
      const texts = [parts.slice(0, cut), parts.slice(cut)].map((half) => {
        const result = parser.parse(Buffer.from(half.join('')), options)
        expect(result.errorCount).toBe(0)
        return printWriteBatch(result.batch)
      })
      const whole = parseFresh(parts.join(''))
      expect(sortedPoints(texts.join(''))).toEqual(sortedPoints(printWriteBatch(whole.batch)))
    }),
    { numRuns: 200 },
  )
})

function parseFresh(text: string): ParseResult {
  return fastParser().parse(Buffer.from(text), options)
}

/**
 * The parts of each point in one order: the columns of a batch decide the order in which it prints
 * them.
 */
function sortedPoints(text: string): string[] {
  return text
    .split(/\n(?=[cm]|$)/)
    .map((point) =>
      point
        .split(/([ ,])/)
        .sort()
        .join('|'),
    )
    .sort()
}

describe('series numbers', () => {
  const bodyOf = (order: readonly number[], time: number) =>
    Buffer.from(order.map((i) => `m,id=${i} v=${i}i,w=${i}.5 ${time}\n`).join(''))

  test('stay the same over requests in any order, and so does the object', () => {
    const parser = fastParser()
    const order = Array.from({ length: 500 }, (_, i) => i)
    const first = parser.parse(bodyOf(order, 0), options).batch.tables[0]
    fc.assert(
      fc.property(fc.shuffledSubarray(order, { minLength: 1 }), (shuffled) => {
        const { batch } = parser.parse(bodyOf(shuffled, 7), options)
        const [table] = batch.tables
        expect(table.keys).toBe(first.keys)
        expect([...table.series.subarray(0, table.rowCount)]).toEqual(shuffled)
        expect(printWriteBatch(batch)).toBe(bodyOf(shuffled, 7).toString())
        parser.release(batch)
      }),
      { numRuns: 50 },
    )
    expect(first.keys.count).toBe(500)
  })

  test('begin afresh when the limit is exceeded, while old batches stay readable', () => {
    const parser = fastParser({ seriesBytesMax: 1000 })
    const old = parser.parse(bodyOf([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13], 1), options).batch
    const next = parser.parse(bodyOf([20], 1), options).batch
    expect(next.tables[0].keys).not.toBe(old.tables[0].keys)
    expect(next.tables[0].keys.count).toBe(1)
    expect(printWriteBatch(old)).toContain('m,id=13 v=13i,w=13.5 1\n')
  })
})
