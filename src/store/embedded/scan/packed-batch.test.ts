// A batch that goes to another thread and comes out the same there: in memory that both see, also where it held
// another one before, and as a copy where there is none.

import { expect, test } from 'vitest'
import type { Batch } from '../../../column/batch.js'
import { valueAt } from '../../../column/column.js'
import { timeAt } from '../../../column/time.js'
import { ParsedSeries } from '../index/parsed-series.js'
import { SeriesKeyTable } from '../index/series-key-table.js'
import { BatchSlabs, slabBytes } from './batch-slabs.js'
import { type PackedBatch, packBatch, unpackBatch } from './packed-batch.js'

const keys = new SeriesKeyTable({ shared: false, parsed: new ParsedSeries() })

function batchOf(rowCount: number, seed: number, text = 'bb'): Batch {
  const rows = Array.from({ length: rowCount }, (_, row) => row + seed)
  const offsets = Uint32Array.of(0, 1, 1 + text.length)
  const dictionary = { offsets, bytes: Buffer.from(`a${text}`), count: 2 }
  const validity = Uint8Array.from(rows, (row) => row % 3 && 1)
  const series = { measurement: 'm', tags: [] }
  return {
    measurement: 'm',
    rowCount,
    runs: [{ key: series, keyId: seed, start: 0, stop: rowCount }],
    // Arrays may be longer than the batch.
    times: { base: 7n, offsets: Float64Array.from([...rows, 99]) },
    fields: [
      { name: 'f', type: 'float' },
      { name: 'b', type: 'boolean' },
      { name: 's', type: 'string' },
    ],
    columns: [
      { type: 'float', values: Float64Array.from(rows, (row) => row / 8), validity },
      { type: 'boolean', values: Uint8Array.from(rows, (row) => row & 1), validity: undefined },
      { type: 'string', values: Uint32Array.from(rows, (row) => row & 1), dictionary, validity },
    ],
  }
}

function print({ rowCount, times, columns, runs }: Batch): unknown {
  const rows = Array.from({ length: rowCount }, (_, row) => [
    timeAt(times, row),
    ...columns.map((column) => valueAt(column, row)),
  ])
  return { rows, runs: runs.map(({ keyId, start, stop }) => ({ keyId, start, stop })) }
}

/** As it comes out at the other end. */
function sent(packed: PackedBatch): Batch {
  return unpackBatch(structuredClone(packed), keys)
}

/** Every piece of memory that arrays of the batch lie in. */
function memoryOf({ seriesIds, ends, times, columns }: PackedBatch): Set<ArrayBufferLike> {
  const arrays: { readonly buffer: ArrayBufferLike }[] = [seriesIds, ends, times.offsets]
  for (const column of columns) {
    arrays.push(column.values)
    if (column.validity !== undefined) arrays.push(column.validity)
    if (column.type === 'string') arrays.push(column.dictionary.offsets, column.dictionary.bytes)
  }
  return new Set(arrays.map(({ buffer }) => buffer))
}

test('memory that came back serves the next batch, of which nothing else is left', () => {
  const slabs = new BatchSlabs()
  const first = packBatch(batchOf(1000, 1), slabs)
  expect(print(sent(first))).toEqual(print(batchOf(1000, 1)))
  const beside = packBatch(batchOf(990, 2), slabs)
  expect(beside.slab).not.toBe(first.slab)
  slabs.give(first.slab!)
  const next = packBatch(batchOf(990, 3), slabs)
  expect(next.slab).toBe(first.slab)
  expect(memoryOf(next)).toEqual(memoryOf(first))
  expect(print(sent(next))).toEqual(print(batchOf(990, 3)))
  expect(print(sent(beside))).toEqual(print(batchOf(990, 2)))
})

test('all arrays of a batch lie in one piece of memory, which is shared and not copied', () => {
  const packed = packBatch(batchOf(1000, 1), new BatchSlabs())
  const [memory, ...others] = memoryOf(packed)
  expect(memory).toBeInstanceOf(SharedArrayBuffer)
  expect(others).toEqual([])
  const batch = sent(packed)
  packed.times.offsets[17] = 4711
  expect(batch.times.offsets[17]).toBe(4711)
})

test.each([
  ['that is small', 'bb'],
  ['that is larger than a piece', 'b'.repeat(slabBytes)],
])('a batch %s is copied', (_, text) => {
  const packed = packBatch(batchOf(10, 1, text), new BatchSlabs())
  expect(packed.slab).toBeUndefined()
  const batch = sent(packed)
  expect(print(batch)).toEqual(print(batchOf(10, 1, text)))
  packed.times.offsets[7] = 4711
  expect(batch.times.offsets[7]).toBe(8)
})

test('a reader that gives nothing back gets copies, and no more memory is shared', () => {
  const slabs = new BatchSlabs()
  const batches = Array.from({ length: 20 }, (_, i) => packBatch(batchOf(1000, i), slabs))
  const used = batches.flatMap(({ slab }) => slab ?? [])
  expect(used).toEqual([0, 1, 2, 3, 4, 5])
  for (const [i, packed] of batches.entries()) {
    expect(print(sent(packed))).toEqual(print(batchOf(1000, i)))
  }
  slabs.give(3)
  expect(packBatch(batchOf(1000, 1), slabs).slab).toBe(3)
})
