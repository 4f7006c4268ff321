// Rows of a group from batches of any shape, against the same rows sorted one by one: columns of every
// type, with holes, wide integers and fields that some batches do not have, all at once and block by block.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Batch } from '../../column/batch.js'
import { type FieldType, type Value, valueAt } from '../../column/column.js'
import { timeAt } from '../../column/time.js'
import { ColumnBuilder } from '../../query/column-builder.js'
import { RowMemory, RowMemoryPool } from '../../query/row-memory.js'
import { copyBatch } from './copied-batch.js'
import { GroupBuffer } from './group-buffer.js'
import type { ColumnOrigin, OrderedRows } from './ordered-rows.js'
import type { RowBlock } from './rows.js'

const fields: readonly FieldType[] = ['float', 'integer', 'unsigned', 'boolean', 'string']
const origins: readonly ColumnOrigin[] = [
  ...fields.map((type) => ({ kind: 'field' as const, name: type, type })),
  { kind: 'tag', name: 'host' },
  { kind: 'tag', name: 'rack', isEmptyWhereMissing: true },
  { kind: 'nothing' },
]

interface Row {
  readonly time: number
  readonly cells: readonly (Value | null)[]
}

/** Rows of series 0, 1, …; `lacks`: a field that the batch does not have, or -1. */
interface Rows {
  readonly base: number
  readonly lacks: number
  readonly series: readonly (readonly Row[])[]
}

const cells = fc.tuple(
  fc.option(fc.double({ noNaN: true })),
  fc.option(fc.oneof(fc.bigInt({ min: -9n, max: 9n }), fc.constant(2n ** 62n))),
  fc.option(fc.bigInt({ min: 0n, max: 9n })),
  fc.option(fc.boolean()),
  fc.option(fc.constantFrom('', 'a', 'ä', 'b')),
)
const anyRow = fc.record({ time: fc.integer({ min: 0, max: 20 }), cells })
const anyBatch = fc.record({
  base: fc.integer({ min: -5, max: 5 }),
  lacks: fc.integer({ min: -8, max: 4 }),
  series: fc.array(fc.array(anyRow, { minLength: 1, maxLength: 5 }), { maxLength: 4 }),
})

function tagsOf(series: number) {
  const host = { key: 'host', value: `h${series}` }
  return series % 3 === 2 ? [{ key: 'rack', value: 'r' }] : [host]
}

function batchOf({ base, lacks, series }: Rows, firstSeries: number): Batch {
  const rows = series.flat()
  const there = fields.flatMap((type, f) => (f === lacks ? [] : [{ type, f }]))
  let start = 0
  return {
    measurement: 'm',
    rowCount: rows.length,
    runs: series.map((run, s) => {
      const seriesId = firstSeries + s
      start += run.length
      const named = { measurement: 'm', tags: tagsOf(seriesId) }
      return { keyId: seriesId, key: named, start: start - run.length, stop: start }
    }),
    times: { base: BigInt(base), offsets: Float64Array.from(rows, ({ time }) => time - base) },
    fields: there.map(({ type }) => ({ name: type, type })),
    columns: there.map(({ type, f }) => {
      const builder = new ColumnBuilder(type)
      for (const row of rows) builder.push(row.cells[f])
      return builder.finish()
    }),
  }
}

function ordered(batches: readonly Batch[], descending: boolean): OrderedRows {
  const memory = new RowMemory(new RowMemoryPool())
  const buffer = new GroupBuffer(origins, 3n, descending)
  for (const batch of batches) {
    const fieldAt = origins.map((origin) =>
      origin.kind === 'field' ? batch.fields.findIndex(({ name }) => name === origin.name) : -1,
    )
    const kept = copyBatch(batch, fieldAt, memory)
    for (const run of batch.runs) buffer.add(kept, run)
    // The store writes into its arrays again.
    for (const { values } of batch.columns) new Uint8Array(values.buffer).fill(0)
    batch.times.offsets.fill(0)
  }
  return buffer.finish(memory)
}

function print({ count, times, columns }: RowBlock): string[] {
  return Array.from({ length: count }, (_, row) => {
    const texts = columns.map((column) => String(column ? valueAt(column, row) : 'nothing'))
    return [timeAt(times, row), ...texts].join(' ')
  })
}

/** What should come: by time, and for equal times in the order of runs. */
function expected(all: readonly Rows[], descending: boolean): string[] {
  const rows: { time: number; id: number; text: string }[] = []
  let seriesId = 0
  for (const { lacks, series } of all) {
    for (const run of series) {
      const id = seriesId++
      const tags = tagsOf(id)
      const host = tags.find(({ key }) => key === 'host')?.value ?? null
      const rack = tags.find(({ key }) => key === 'rack')?.value ?? ''
      for (const { time, cells } of run) {
        const own = cells.map((cell, f) => (f === lacks ? null : cell))
        const shown = own.map((cell) => String(cell ?? null))
        rows.push({ time, id, text: [time, ...shown, String(host), rack, 'nothing'].join(' ') })
      }
    }
  }
  const sign = descending ? -1 : 1
  // Series of the same time follow each other backwards where times do.
  const order = rows.sort((a, b) => (a.time - b.time || a.id - b.id) * sign)
  return order.map(({ text }) => text)
}

function inOrder(all: readonly Rows[], descending: boolean): Rows[] {
  const sign = descending ? -1 : 1
  return all.map((each) => ({
    ...each,
    series: each.series.map((run) => run.toSorted((a, b) => (a.time - b.time) * sign)),
  }))
}

function batchesOf(all: readonly Rows[]): Batch[] {
  let seriesId = 0
  return all.map((rows) => {
    seriesId += rows.series.length
    return batchOf(rows, seriesId - rows.series.length)
  })
}

test('all rows at once', () => {
  fc.assert(
    fc.property(
      fc.array(anyBatch, { minLength: 1, maxLength: 4 }),
      fc.boolean(),
      (any, descending) => {
        const all = inOrder(any, descending)
        if (!all.some(({ series }) => series.length > 0)) return
        const rows = ordered(batchesOf(all), descending)
        expect(print(rows.all())).toEqual(expected(all, descending))
      },
    ),
    { numRuns: 500 },
  )
})

test.each([true, false])('block by block, arrays used again: %s', (isReused) => {
  const run = (step: number, count: number): Row[] =>
    Array.from({ length: count }, (_, i) => ({
      time: i * step,
      cells: [i / 4, BigInt(i), i % 5 === 0 ? null : 7n, i % 2 === 0, `s${i % 9}`],
    }))
  const all = [
    { base: 0, lacks: -1, series: [run(2, 9000), run(3, 7000)] },
    { base: 1, lacks: -1, series: [run(5, 4000), run(1, 100)] },
  ]
  const texts: string[] = []
  const counts: number[] = []
  for (const block of ordered(batchesOf(all), false).blocks(isReused)) {
    counts.push(block.count)
    texts.push(...print(block))
  }
  expect(counts).toEqual([8192, 8192, 3716])
  expect(texts).toEqual(expected(all, false))
})

test('rows of one run lie in the memory that was kept, those of several in their own', () => {
  const run = [{ time: 1, cells: [0.5, 1n, 2n, true, 'x'] }]
  const place = (all: Rows[]) => {
    const rows = ordered(batchesOf(all), false)
    const buffer = rows.all().columns[0]?.values.buffer
    return { isKept: (buffer?.byteLength ?? 0) > 8 * 2, sharesMemory: rows.sharesMemory }
  }
  expect(place([{ base: 0, lacks: -1, series: [run] }])).toEqual({
    isKept: true,
    sharesMemory: true,
  })
  expect(place([{ base: 0, lacks: -1, series: [run, run] }])).toEqual({
    isKept: false,
    sharesMemory: false,
  })
})

test('blocks that may be kept keep what they say', () => {
  const run = Array.from({ length: 9000 }, (_, i) => ({ time: i, cells: [i, null, 1n, true, 'x'] }))
  const all = [{ base: 0, lacks: -1, series: [run, run] }]
  const blocks = [...ordered(batchesOf(all), false).blocks(false)]
  expect(blocks.flatMap(print)).toEqual(expected(all, false))
})
