// The pool: arrays come back, several batches live at once, and nothing of a released batch shows
// up in another.

import { describe, expect, test } from 'vitest'
import { ArrayPool, roundUpLength } from './array-pool.js'
import { LineProtocolParser } from './parser.js'
import { printWriteBatch } from './printer.js'

const options = { precision: 'ns', now: 0n } as const

function bodyOf(rows: number, seed: number): Buffer {
  const lines = Array.from({ length: rows }, (_, i) => {
    const fields = [`a=${i * seed}i`, `b=${i + 0.5}`, `c="s${(i * seed) % 7}"`, 'd=true']
    return `m,t=${i % 5} ${fields.filter((_, f) => (i + f * seed) % 4 !== 0).join(',')} ${i + 1}`
  })
  return Buffer.from(lines.join('\n'))
}

function fresh(body: Buffer): string {
  return printWriteBatch(new LineProtocolParser().parse(body, options).batch)
}

test('batches alive at once do not share arrays', () => {
  const parser = new LineProtocolParser()
  const bodies = Array.from({ length: 8 }, (_, i) => bodyOf(40 + i * 37, i + 1))
  for (let round = 0; round < 3; round++) {
    const results = bodies.map((body) => parser.parse(body, options))
    results.forEach(({ batch }, i) => {
      expect(printWriteBatch(batch)).toBe(fresh(bodies[i]))
    })
    for (const { batch } of results) parser.release(batch)
  }
})

test('released arrays are used again and leak nothing', () => {
  const parser = new LineProtocolParser()
  const large = parser.parse(bodyOf(1000, 3), options).batch
  const { series, lines, fields } = large.tables[0]
  const arrays = new Set<unknown>([series, lines, ...fields.map((f) => f.column.values)])
  parser.release(large)
  const again = parser.parse(bodyOf(1000, 5), options).batch
  expect(arrays.has(again.tables[0].series)).toBe(true)
  expect(printWriteBatch(again)).toBe(fresh(bodyOf(1000, 5)))
  // Rows without a value hold zeros, not leftovers.
  for (const { column } of again.tables[0].fields) {
    if (column.validity === undefined || column.type === 'string') continue
    for (let row = 0; row < 1000; row++) {
      if (column.validity[row] === 0) expect(column.values[row]).toBe(0)
    }
  }
})

test('releasing twice, or a batch of another parser, does nothing', () => {
  const parser = new LineProtocolParser()
  const { batch } = parser.parse(bodyOf(100, 1), options)
  parser.release(batch)
  parser.release(batch)
  new LineProtocolParser().release(batch)
  const one = parser.parse(bodyOf(100, 2), options).batch
  const two = parser.parse(bodyOf(100, 3), options).batch
  expect(one.tables[0].series).not.toBe(two.tables[0].series)
  expect(printWriteBatch(one)).toBe(fresh(bodyOf(100, 2)))
  expect(printWriteBatch(two)).toBe(fresh(bodyOf(100, 3)))
})

describe('the pool', () => {
  test('is bounded and keeps powers of two only', () => {
    const pool = new ArrayPool(1024)
    pool.give(new Float64Array(100))
    pool.give(new Float64Array(0))
    expect(pool.bytesHeld).toBe(0)
    const kept = new Float64Array(128)
    pool.give(kept)
    pool.give(new Uint32Array(1))
    expect(pool.bytesHeld).toBe(1024)
    expect(pool.float64(128)).toBe(kept)
    expect(pool.bytesHeld).toBe(0)
  })

  test('rounds lengths up', () => {
    expect([0, 1, 2, 3, 4, 5, 1000, 2 ** 20 + 1].map(roundUpLength)).toEqual([
      1,
      1,
      2,
      4,
      4,
      8,
      1024,
      2 ** 21,
    ])
  })
})
