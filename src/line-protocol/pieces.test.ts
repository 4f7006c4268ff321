// A body that is read in pieces, as one is whose columns take much memory: nothing is lost between them, and the limits
// of a write hold over all of them.

import { describe, expect, test } from 'vitest'
import { seededRandom } from '../platform/random.js'
import { type LineError, LineProtocolParser, type WriteRest } from './parser.js'
import { printWriteBatch } from './printer.js'

describe('a body in pieces', () => {
  const options = { precision: 'ns', now: 0n } as const
  /** What all pieces of it hold, and of how many there were. */
  function pieces(parser: LineProtocolParser, text: string, tableBytesMax: number) {
    const body = Buffer.from(text)
    const lines: string[] = []
    const numbers: number[] = []
    const errors: LineError[] = []
    let count = 0
    for (let from: WriteRest | undefined; count === 0 || from !== undefined; count++) {
      const parsed = parser.parse(body, { ...options, from, tableBytesMax })
      for (const table of parsed.batch.tables) numbers.push(...table.lines.slice(0, table.rowCount))
      const { batch } = parsed
      if (batch.pointCount > 0) lines.push(...printWriteBatch(batch).trimEnd().split('\n'))
      errors.push(...parsed.errors)
      parser.release(batch)
      from = parsed.rest
    }
    return { lines, numbers, errors, count }
  }

  test('has every line once, in order, with its number', () => {
    const random = seededRandom(4)
    const some = Array.from({ length: 1000 }, (_, i) => {
      const kind = random.below(20)
      if (kind === 0) return `m s="a\nb${i}" ${i}`
      if (kind === 1) return 'bad'
      return kind === 2 ? '' : `m,t=${random.below(9)} f${random.below(500)}=${i} ${i}`
    })
    for (const end of ['', '\n', '\nm s="open']) {
      const text = some.join('\n') + end
      const whole = pieces(new LineProtocolParser(), text, Number.POSITIVE_INFINITY)
      expect(whole.count).toBe(1)
      for (const bytesMax of [1, 50_000, 200_000]) {
        const cut = pieces(new LineProtocolParser(), text, bytesMax)
        expect(cut.count).toBeGreaterThan(bytesMax === 1 ? 700 : 1)
        expect([...cut.lines].sort()).toEqual([...whole.lines].sort())
        expect([...cut.numbers].sort()).toEqual([...whole.numbers].sort())
        expect(cut.errors.slice(0, 100)).toEqual(whole.errors)
      }
    }
  })

  test('has the limits of one write in all of them together', () => {
    const parser = new LineProtocolParser({ fieldsMax: 5, measurementsMax: 2 })
    const text = 'a x=1 1\nb x=1 1\na x=2 2\nc x=1 1\na y=1 3\nb x=2 2\na z=1 4'
    const { errors, numbers } = pieces(parser, text, 1)
    expect(errors.map(({ line, reason }) => [line, /--[a-z-]+/.exec(reason)?.[0]])).toEqual([
      [4, '--write-measurements-max'],
      [7, '--write-fields-max'],
    ])
    expect(numbers).toEqual([1, 2, 3, 5, 6])
  })

  test('counts a field that is well filled once, however many pieces it is in', () => {
    const parser = new LineProtocolParser({ fieldsMax: 3 })
    const rows = Array.from({ length: 100 }, (_, i) => `m a=${i},b=2 ${i}`).join('\n')
    const { errors, numbers, count } = pieces(parser, `${rows}\nm c=1 1\nm d=1 1`, 1500)
    expect(count).toBeGreaterThan(2)
    expect(errors.map(({ line }) => line)).toEqual([102])
    expect(numbers).toHaveLength(101)
  })

  test('does not keep all series of a write that has nothing but new ones', () => {
    const parser = new LineProtocolParser()
    const rows = Array.from({ length: 400 }, (_, i) => `m,t=${i}${'x'.repeat(60_000)} f=1 1`)
    const { lines } = pieces(parser, rows.join('\n'), 1 << 20)
    expect(new Set(lines).size).toBe(400)
    expect(parser.keptBytes).toBeLessThan(18 << 20)
    // Measurements and fields are known still.
    expect(pieces(parser, 'm,t=1 f=2 2', 1).lines).toEqual(['m,t=1 f=2 2'])
  })

  test('takes little memory for a line of many fields after a batch of many rows', () => {
    const parser = new LineProtocolParser()
    const rows = Array.from({ length: 20_000 }, (_, i) => `m f=1 ${i}`).join('\n')
    parser.release(parser.parse(Buffer.from(rows), options).batch)
    const wide = `m ${Array.from({ length: 5000 }, (_, i) => `f${i}=1`).join(',')} 1`
    const { batch } = parser.parse(Buffer.from(`${wide}\nm f7=2 2`), options)
    const bytes = batch.tables[0].fields.reduce(
      (sum, { column }) => sum + column.values.byteLength,
      0,
    )
    expect(bytes).toBeLessThan(32 << 20)
    expect(printWriteBatch(batch)).toContain('m f7=2 2')
    expect(batch.pointCount).toBe(2)
  })
})
