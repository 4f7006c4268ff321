// A batch that goes to another thread and comes out the same there, also from memory that held another one
// before.

import { expect, test } from 'vitest'
import type { Batch } from '../../../column/batch.js'
import { valueAt } from '../../../column/column.js'
import { timeAt } from '../../../column/time.js'
import { BufferPool } from '../buffer-pool.js'
import { SeriesKeyTable } from '../series-key-table.js'
import { packBatch, packedBuffer, unpackBatch } from './packed-batch.js'

const keys = new SeriesKeyTable()

function batchOf(rowCount: number, seed: number): Batch {
  const rows = Array.from({ length: rowCount }, (_, row) => row + seed)
  const offsets = Uint32Array.of(0, 1, 3)
  const dictionary = { offsets, bytes: Buffer.from('abb'), count: 2 }
  const validity = Uint8Array.from(rows, (row) => row % 3 && 1)
  const series = { measurement: 'm', tags: [] }
  return {
    measurement: 'm',
    rowCount,
    runs: [{ series, seriesId: seed, start: 0, stop: rowCount }],
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
  return { rows, runs: runs.map(({ seriesId, start, stop }) => ({ seriesId, start, stop })) }
}

test('memory that came back serves the next batch, of which nothing else is left', () => {
  const pool = new BufferPool({ shared: false, keptBytesMax: 1 << 20 })
  const first = packBatch(batchOf(1000, 1), pool)
  expect(print(unpackBatch(first, keys))).toEqual(print(batchOf(1000, 1)))
  const beside = packBatch(batchOf(990, 2), pool)
  expect(packedBuffer(beside)).not.toBe(packedBuffer(first))
  const memory = packedBuffer(first)
  pool.free(memory)
  const next = packBatch(batchOf(990, 3), pool)
  expect(packedBuffer(next)).toBe(memory)
  expect(print(unpackBatch(next, keys))).toEqual(print(batchOf(990, 3)))
  expect(print(unpackBatch(beside, keys))).toEqual(print(batchOf(990, 2)))
})

test('all arrays of a batch lie in the memory that is handed over', () => {
  const pool = new BufferPool({ shared: false, keptBytesMax: 0 })
  const packed = packBatch(batchOf(10, 1), pool)
  const batch = unpackBatch(structuredClone(packed, { transfer: [packedBuffer(packed)] }), keys)
  expect(print(batch)).toEqual(print(batchOf(10, 1)))
  expect(packed.columns.map(({ values }) => values.length)).toEqual([0, 0, 0])
})
