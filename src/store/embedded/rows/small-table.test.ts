// A small table answers like one with arrays of its own: random rows of every type, with gaps and wide integers, over
// many chunks and pages, each asked of both.

import { describe, expect, test } from 'vitest'
import type { Column, FieldType } from '../../../column/column.js'
import { fieldTypes } from '../../../column/column.js'
import { type Random, seededRandom } from '../../../platform/random.js'
import { heapBuffers } from './buffer-pool.js'
import { MemTable, type ShardTable } from './memtable.js'
import { chunkCells, pageBytes } from './slab-pages.js'
import { Slab, SmallTable } from './small-table.js'

const fieldCount = 7
const typeOf = (fieldId: number): FieldType => fieldTypes[fieldId % fieldTypes.length]

function randomColumn(random: Random, type: FieldType, rowCount: number): Column {
  const rows = Array.from({ length: rowCount }, (_, row) => row)
  const validity =
    random.below(2) === 0 ? undefined : Uint8Array.from(rows, () => Math.min(1, random.below(3)))
  switch (type) {
    case 'float':
      return { type, values: Float64Array.from(rows, () => random.below(1000) / 8), validity }
    case 'boolean':
      return { type, values: Uint8Array.from(rows, () => random.below(2)), validity }
    case 'string': {
      const texts = rows.map(() => 'é text of some length'.slice(0, random.below(20)))
      const bytes = texts.map((text) => Buffer.from(text))
      const offsets = new Uint32Array(rowCount + 1)
      for (const row of rows) offsets[row + 1] = offsets[row] + bytes[row].length
      const dictionary = { offsets, bytes: Buffer.concat(bytes), count: rowCount }
      return { type, values: Uint32Array.from(rows).reverse(), dictionary, validity }
    }
    default: {
      const numbers = rows.map(() => random.below(1000))
      if (random.below(3) > 0) return { type, values: Float64Array.from(numbers), validity }
      const wide = numbers.map((number) => 2n ** 62n + BigInt(number))
      if (type === 'integer') return { type, values: BigInt64Array.from(wide), validity }
      return { type, values: BigUint64Array.from(wide, (value) => 2n * value), validity }
    }
  }
}

function randomTable(random: Random): ShardTable {
  const rowCount = 1 + random.below(6)
  const fieldIds = Array.from({ length: fieldCount }, (_, id) => id).filter(
    () => random.below(3) > 0,
  )
  return {
    measurementId: 0,
    rowCount,
    series: Uint32Array.from({ length: rowCount }, () => random.below(4)),
    offsets: Float64Array.from({ length: rowCount }, () => random.below(200)),
    fields: fieldIds.map((fieldId) => ({
      fieldId,
      column: randomColumn(random, typeOf(fieldId), rowCount),
    })),
  }
}

function valueAt(column: Column | undefined, row: number): unknown {
  if (column === undefined || column.validity?.[row] === 0) return undefined
  if (column.type !== 'string') return column.values[row]
  const { offsets, bytes } = column.dictionary
  const code = column.values[row]
  return Buffer.from(bytes.subarray(offsets[code], offsets[code + 1])).toString()
}

/** Rows are those from one offset to another, the last one included. */
function contents(table: SmallTable | MemTable, minOffset = 0, maxOffset = 199) {
  const fieldIds = Array.from({ length: fieldCount }, (_, id) => id)
  const wanted = { fieldIds, types: fieldIds.map(typeOf), minOffset, maxOffset, end: undefined }
  const series = [...table.seriesIds()].sort()
  return {
    rowCount: table.rowCount,
    bounds: [table.minOffset, table.maxOffset],
    fields: fieldIds.filter((id) => table.hasField(id)),
    missing: table.hasSeries(99),
    series: series.map((id) => {
      const { rowCount, offsets, columns } = table.readSeries(id, wanted)
      const rows = Array.from({ length: rowCount }, (_, row) => [
        offsets[row],
        ...columns.map((column) => {
          const value = valueAt(column, row)
          return typeof value === 'bigint' ? String(value) : value
        }),
      ])
      return { id, has: table.hasSeries(id), rows }
    }),
  }
}

describe.each([1, 2, 3, 4, 5, 6, 7, 8])('random rows, seed %i', (seed) => {
  const random = seededRandom(seed)
  const slab = new Slab(heapBuffers)
  const small = new SmallTable(0, slab)
  const neighbour = new SmallTable(1, slab)
  const large = new MemTable(0, heapBuffers, 0)
  for (let i = 0; i < 60; i++) {
    const table = randomTable(random)
    small.append(table, chunkCells(table))
    large.append(table, typeOf)
    const between = randomTable(random)
    for (let k = 0; k < 20; k++) neighbour.append(between, chunkCells(between))
  }

  test('are the same by series', () => {
    expect(slab.pages.pages.length).toBeGreaterThan(1)
    expect(contents(small)).toEqual(contents(large))
  })

  test('are the same in a range, and those that lie in it', () => {
    const all = contents(large)
    const inRange = all.series.map(({ rows, ...rest }) => ({
      ...rest,
      rows: rows.filter(([offset]) => Number(offset) >= 40 && Number(offset) <= 60),
    }))
    expect(inRange.some(({ rows }) => rows.length > 0)).toBe(true)
    expect(contents(large, 40, 60)).toEqual({ ...all, series: inRange })
    expect(contents(small, 40, 60)).toEqual(contents(large, 40, 60))
  })

  test('end with the newest and begin with the oldest', () => {
    const inOrder = new MemTable(0, heapBuffers, 0)
    for (let i = 0; i < 20; i++) {
      const table = randomTable(random)
      inOrder.append({ ...table, offsets: table.offsets.map((_, row) => 10 * i + row) }, typeOf)
    }
    const fieldIds = [0, 4]
    const types = fieldIds.map(typeOf)
    for (const series of inOrder.seriesIds()) {
      const offsets = (table: MemTable, isNewest?: boolean) => {
        const end = isNewest === undefined ? undefined : { isNewest, rowCount: 5 }
        const wanted = { fieldIds, types, minOffset: 15, maxOffset: 190, end }
        const rows = table.readSeries(series, wanted)
        return [...rows.offsets.subarray(0, rows.rowCount)]
      }
      expect(offsets(inOrder, true)).toEqual(offsets(inOrder).slice(-5))
      expect(offsets(inOrder, false)).toEqual(offsets(inOrder).slice(0, 5))
      // Of rows that came in any order the newest are not the last.
      expect(offsets(large, true)).toEqual(offsets(large))
    }
  })

  test('are the same when the table gets arrays of its own', () => {
    const grown = new MemTable(0, heapBuffers, 0)
    grown.append(small.table(), typeOf)
    expect(contents(grown)).toEqual(contents(large))
  })

  test('are the same when frozen', () => {
    const { rowCount, seriesCount, offsets } = small.freeze()
    expect([rowCount, seriesCount]).toEqual([large.rowCount, large.seriesCount])
    expect(offsets.slice(0, rowCount)).toEqual(large.freeze().offsets.slice(0, rowCount))
  })
})

test('pages go back when the rows are flushed', () => {
  const freed: number[] = []
  const slab = new Slab({
    allocate: (byteLength) => new ArrayBuffer(byteLength),
    free: (buffer) => freed.push(buffer.byteLength),
  })
  const table = randomTable(seededRandom(9))
  new SmallTable(0, slab).append(table, chunkCells(table))
  slab.free()
  expect(freed).toEqual([pageBytes])
})
