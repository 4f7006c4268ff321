// Tables put together a chunk at a time: large and small chunks, columns that come later, and that a small
// part of a large chunk does not keep all of it.

import { describe, expect, test } from 'vitest'
import { type Chunk, cellAt, type TableColumn } from '../../query/table.js'
import { MemoryMeter } from '../context/memory-meter.js'
import { emptyKey, GroupKey } from '../value/key.js'
import { sliceChunk } from './cells.js'
import { CellsBuilder } from './cells-builder.js'
import { compactChunk } from './compact.js'
import { MergedTables } from './merged-tables.js'
import type { Table } from './table.js'

const columns: readonly TableColumn[] = [
  { name: 'n', type: 'int' },
  { name: 's', type: 'string' },
]

function numbered(from: number, to: number): Chunk {
  const [numbers, texts] = [new CellsBuilder('int'), new CellsBuilder('string')]
  for (let i = from; i < to; i++) {
    numbers.push(i % 7 === 0 ? null : BigInt(i))
    texts.push(i % 5 === 0 ? null : `t${i}`)
  }
  return { rowCount: to - from, columns: [numbers.finish(), texts.finish()] }
}

function rowsOf({ columns, chunks }: Table): string[] {
  const rows: string[] = []
  for (const chunk of chunks() as Iterable<Chunk>) {
    for (let row = 0; row < chunk.rowCount; row++) {
      rows.push(columns.map((_, i) => String(cellAt(chunk.columns[i], row))).join(' '))
    }
  }
  return rows
}

function expected(from: number, to: number): string[] {
  return Array.from({ length: to - from }, (_, at) => {
    const i = from + at
    return `${i % 7 === 0 ? null : i} ${i % 5 === 0 ? null : `t${i}`}`
  })
}

describe('merged tables', () => {
  test.each([[[1, 2, 3]], [[100, 1, 200]], [[1, 500, 1, 1]], [[64, 65]]])(
    'chunks of %j rows keep their order',
    (sizes) => {
      const memory = new MemoryMeter(0)
      const merged = new MergedTables(memory)
      let at = 0
      for (const size of sizes) {
        merged.table(emptyKey).add(columns, numbered(at, at + size))
        at += size
      }
      const tables = [...merged.tables()]
      expect(tables).toHaveLength(1)
      expect(rowsOf(tables[0])).toEqual(expected(0, at))
    },
  )

  test('columns that some rows do not have are null there; the key shows its own value', () => {
    const merged = new MergedTables(new MemoryMeter(0))
    const key = GroupKey.of([{ name: 's', type: 'string', value: 'key' }])
    const table = merged.table(key)
    table.add([columns[1]], { rowCount: 1, columns: [numbered(1, 2).columns[1]] })
    table.add(columns, numbered(1, 3))
    const [{ columns: found }] = [...merged.tables()]
    expect(found.map(({ name }) => name)).toEqual(['s', 'n'])
    const again = new MergedTables(new MemoryMeter(0))
    again.table(key).add([columns[1]], { rowCount: 1, columns: [numbered(1, 2).columns[1]] })
    again.table(key).add(columns, numbered(1, 3))
    expect(rowsOf([...again.tables()][0])).toEqual(['key null', 'key 1', 'key 2'])
  })

  test('one column of two types is refused', () => {
    const table = new MergedTables(new MemoryMeter(0)).table(emptyKey)
    table.add(columns, numbered(0, 1))
    expect(() => table.declare([{ name: 'n', type: 'float' }])).toThrow(
      'schema collision detected: column "n" is both of type float and int',
    )
  })

  test('memory is given back', () => {
    const memory = new MemoryMeter(0)
    const merged = new MergedTables(memory)
    for (let i = 0; i < 10; i++) merged.table(emptyKey).add(columns, numbered(0, 50))
    const before = memory.peakBytes
    expect(before).toBeGreaterThan(5000)
    for (const _ of merged.tables()) expect(memory.peakBytes).toBe(before)
    memory.take(before)
    expect(memory.peakBytes).toBe(before)
  })

  test('a part of a chunk, cut loose, is the same and small', () => {
    const part = sliceChunk(numbered(0, 5000), 2500, 2503)
    const compact = compactChunk(part)
    const table = (chunk: Chunk) => ({ key: emptyKey, columns, chunks: () => [chunk] })
    expect(rowsOf(table(compact))).toEqual(expected(2500, 2503))
    const [numbers, texts] = compact.columns
    if (numbers.kind !== 'values' || texts.kind !== 'values' || texts.type !== 'string')
      throw new Error()
    expect(numbers.values.buffer.byteLength).toBe(24)
    expect(texts.dictionary.length).toBeLessThan(4)
  })
})
