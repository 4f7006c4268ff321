// Ordinary lines are read by the kernels: tables, columns and errors must be those of the parser that reads each line
// by itself, whatever comes between them, and ordinary lines must really come here.

import { describe, expect, test } from 'vitest'
import { seededRandom } from '../platform/random.js'
import { FastLines } from './fast-lines.js'
import { LineProtocolParser, type ParseResult, type Precision } from './parser.js'
import { printWriteBatch } from './printer.js'

type Random = ReturnType<typeof seededRandom>

/** Counts what is read in the fast way. */
class CountedLines extends FastLines {
  count = 0

  override end(): number {
    const count = super.end()
    this.count += count
    return count
  }
}

function fastParser(): { parser: LineProtocolParser; lines: CountedLines } {
  let lines!: CountedLines
  const parser = new LineProtocolParser({
    fastLines: (scan) => {
      lines = new CountedLines(scan, 0)
      return lines
    },
  })
  return { parser, lines }
}

function described({ batch, errors, errorCount, lineCount }: ParseResult): unknown {
  const tables = batch.tables.map((table) => ({
    measurement: table.measurement,
    base: table.times.base,
    lines: [...table.lines.subarray(0, table.rowCount)],
    fields: table.fields.map(({ name, column }) => {
      const { validity } = column
      const marks = validity && [...validity.subarray(0, table.rowCount)]
      const values = column.type === 'string' ? [] : [...column.values.subarray(0, table.rowCount)]
      return { name, type: column.type, values, marks }
    }),
  }))
  return { printed: printWriteBatch(batch), tables, errors, errorCount, lineCount }
}

const kinds: readonly ((random: Random) => string)[] = [
  (random) => `${random.below(1000)}i`,
  (random) => `-${random.below(1000)}i`,
  (random) => `${random.below(100)}.${random.below(100)}`,
  (random) => `-${random.below(100)}.${random.below(10)}`,
  (random) => String(random.below(1e9) / (1 + random.below(1e9))),
  (random) => `${random.below(1e9)}${random.below(1e9)}`,
  (random) => `${random.below(9)}.${'0123456789'.repeat(2).slice(0, random.below(21))}`,
  (random) => ['t', 'true', 'F', 'false', 'TRUE', 'False'][random.below(6)],
  (random) => `"${['ok', 'busy, slow', '', 'ähm', 'a=b'][random.below(5)]}"`,
  (random) =>
    `"${['\\"', 'a\\\\', 'two\nlines', 'C:\\dir', 'a\\\nb', '\\\\\\"'][random.below(6)]}"`,
  (random) => `${random.below(50)}u`,
  (random) => `${BigInt(random.below(2 ** 31)) * BigInt(random.below(2 ** 32))}i`,
  (random) => `-${random.below(3) === 0 ? '9223372036854775807' : random.below(9)}i`,
  (random) => `${random.below(2) === 0 ? '18446744073709551615' : 7}u`,
  (random) => `${random.below(2) === 0 ? '9446744073709551615' : random.below(7)}u`,
  (random) =>
    `${random.below(999)}.${random.below(99)}${['e', 'e+', 'E-'][random.below(3)]}${random.below(30)}`,
  (random) => String(random.below(1e6) / 1e10),
]

/** What a line must not be to be read in the fast way. */
const unusual: readonly string[] = [
  ...['', '# a comment', ' m,t=1 a=1 1', 'bad', 'm,t=1 a=1i', 'm,t=1 a="x\ny" 5', 'm a="\\"" 5'],
  ...[
    'm,t=1 a=1e300 5',
    'm,t=1 a=1e 5',
    'm,t=1 a=1e+-2 5',
    'm,t=1 a=.5 5',
    'm,t=1 a=1,a=2 5',
    'm,t=1 a=1  5',
    'm,t=1 a=1 -5',
  ],
  ...['m,t=1 a=9223372036854775807i 5', 'm,t\\ x=1 a=1 5', 'm,t=1 a=1 99999999999999999999'],
  ...['m,t=1 a=1 5 ', 'm,t=1 new=1 5', 'm,t=1 a="open 5', 'm,t=1 a=- 5', 'm,t=1 a=1x 5'],
]

interface Shape {
  readonly measurements: number
  readonly series: number
  readonly fields: readonly { readonly kind: number; readonly missing: number }[]
  readonly unusual: number
  readonly tag: string
  readonly times: 'late' | 'early' | 'none'
  readonly end: string
}

function bodyOf(random: Random, shape: Shape, lineCount: number, precision: Precision): string {
  const second = { ns: 1_000_000_000, us: 1_000_000, ms: 1000, s: 1, m: 1, h: 1 }[precision]
  const lines: string[] = []
  for (let i = 0; i < lineCount; i++) {
    if (random.below(1000) < shape.unusual) {
      lines.push(unusual[random.below(unusual.length)])
      continue
    }
    const key = `m${i % shape.measurements},t=${shape.tag}${(i * 7) % shape.series}`
    const fields = shape.fields.flatMap(({ kind, missing }, f) =>
      random.below(100) < missing ? [] : [`f${f}=${kinds[kind](random)}`],
    )
    if (fields.length === 0) fields.push('x=1')
    // Now and then in another stretch of time, or out of all of them.
    const far = random.below(300) === 0 ? random.below(2 ** 31) : 0
    const time = (precision === 'm' || precision === 'h' ? 100 : 1_700_000_000) + i + far
    const moment = BigInt(time) * BigInt(second) + BigInt(random.below(99))
    const shown = { late: ` ${moment}`, early: ` ${-moment}`, none: '' }[shape.times]
    lines.push(`${key} ${fields.join(',')}${shown}`)
  }
  return lines.join(shape.end) + (random.below(2) === 0 ? shape.end : '')
}

function shapeOf(random: Random): Shape {
  const fieldCount = 1 + random.below(12)
  return {
    measurements: [1, 1, 3, 40][random.below(4)],
    series: [1, 10, 1000][random.below(3)],
    fields: Array.from({ length: fieldCount }, () => ({
      kind: random.below(kinds.length),
      missing: [0, 0, 10, 80][random.below(4)],
    })),
    unusual: [0, 0, 5, 100, 500][random.below(5)],
    tag: ['', 'a', 'a\\ b', 'a\\,\\=', 'a\\'][random.below(5)],
    times: (['late', 'late', 'early', 'none'] as const)[random.below(4)],
    end: ['\n', '\n', '\r\n'][random.below(3)],
  }
}

const precisions: readonly Precision[] = ['ns', 'us', 'ms', 's', 'm', 'h']

describe('what the kernels read is what the parser reads', () => {
  test.each(Array.from({ length: 80 }, (_, seed) => seed))('seed %i', (seed) => {
    const random = seededRandom(seed)
    const { parser } = fastParser()
    const shape = shapeOf(random)
    const precision = precisions[random.below(precisions.length)]
    for (let request = 0; request < 4; request++) {
      const body = Buffer.from(bodyOf(random, shape, 1 + random.below(3000), precision))
      const options = { precision, now: 42n }
      const result = parser.parse(body, options)
      expect(described(result)).toEqual(described(new LineProtocolParser().parse(body, options)))
      if (random.below(2) === 0) parser.release(result.batch)
    }
  })
})

test('parsers that take turns do not know the series of each other', () => {
  const one = fastParser().parser
  const other = fastParser().parser
  const options = { precision: 'ns', now: 0n } as const
  const first = Buffer.from('a,t=1 f=1 1\na,t=2 f=2 2\na,t=1 f=3 3\na,t=2 f=4 4\n')
  const second = Buffer.from('b f=1 1\na,t=2 f=2 2\na,t=1 f=3 3\na,t=2 f=4 4\n')
  for (let round = 0; round < 3; round++) {
    expect(printWriteBatch(one.parse(first, options).batch)).toBe(first.toString())
    const { batch } = other.parse(second, options)
    expect(printWriteBatch(batch).split('\n').sort()).toEqual(second.toString().split('\n').sort())
  }
})

test('measurements beyond those that the kernels have room for are read all the same', () => {
  const { parser } = fastParser()
  const options = { precision: 'ns', now: 0n } as const
  const linesOf = (first: number) =>
    Buffer.from(Array.from({ length: 60 }, (_, i) => `m${first + (i % 6)} f=${i} ${i}\n`).join(''))
  for (let first = 0; first < 5000; first += 6) {
    parser.release(parser.parse(linesOf(first), options).batch)
  }
  for (const first of [4090, 4990, 10]) {
    const body = linesOf(first)
    const wanted = new LineProtocolParser().parse(body, options)
    expect(described(parser.parse(body, options))).toEqual(described(wanted))
  }
})

test.each([
  { tag: '', times: 'late' },
  { tag: 'a\\ b', times: 'early' },
  { tag: '', times: 'none' },
] as const)('lines as programs write them are nearly all read by the kernels: %j', (how) => {
  const random = seededRandom(1)
  const fields = [0, 2, 4, 7, 8, 9, 11].map((kind) => ({ kind, missing: kind === 4 ? 50 : 0 }))
  const shape: Shape = { measurements: 3, series: 100, fields, unusual: 0, end: '\n', ...how }
  const { parser, lines } = fastParser()
  for (let request = 0; request < 3; request++) {
    lines.count = 0
    const body = Buffer.from(bodyOf(random, shape, 5000, 'ns'))
    const { batch } = parser.parse(body, { precision: 'ns', now: 0n })
    expect(batch.pointCount).toBe(5000)
    // Each column and each growth of a table needs a line that is read otherwise, and so does another stretch of time.
    expect(lines.count).toBeGreaterThan(4300)
    parser.release(batch)
  }
})

describe('floats of many digits', () => {
  /** Their values, and how many of them the kernels have read. */
  function expectNearest(texts: readonly string[], fastMin: number): void {
    const { parser, lines } = fastParser()
    const body = Buffer.from(texts.map((text, i) => `m f=${text} ${i}\n`).join(''))
    const { batch } = parser.parse(body, { precision: 'ns', now: 0n })
    const values = [...batch.tables[0].fields[0].column.values.subarray(0, texts.length)]
    expect(texts.filter((text, i) => values[i] !== Number(text))).toEqual([])
    expect(lines.count).toBeGreaterThan(fastMin)
  }

  test('as programs print them', () => {
    const random = seededRandom(1)
    const texts: string[] = []
    while (texts.length < 20_000) {
      const text = String(random.float() * 10 ** Math.floor(random.float() * 9 - 4))
      if (/^\d+\.\d+$/.test(text)) texts.push(text)
    }
    expectNearest(texts, 19_900)
  })

  test('any digits', () => {
    const random = seededRandom(2)
    const texts = Array.from({ length: 20_000 }, () => {
      const digits = Array.from({ length: 17 + random.below(3) }, () => random.below(10)).join('')
      const at = 1 + random.below(digits.length - 1)
      return `${digits.slice(0, at)}.${digits.slice(at)}`
    })
    expectNearest(texts, 19_000)
  })

  test('in the middle between two floats and beside it', () => {
    const random = seededRandom(3)
    const texts: string[] = []
    while (texts.length < 5_000) {
      // Between 2^52 and 2^53 floats are whole numbers, so that all middles end in a half.
      const middle = `${2 ** 52 + Math.floor(random.float() * 2 ** 52)}.5`
      const odd = random.float() < 0.5 ? '' : `${'0'.repeat(random.below(2))}1`
      texts.push(middle + odd, `${middle.slice(0, -1)}4${'9'.repeat(1 + random.below(2))}`)
    }
    expectNearest(texts, 0)
  })
})
