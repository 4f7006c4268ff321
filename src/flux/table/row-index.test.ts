// Numbers for rows by their key columns: small cases by hand, and random values against a map from
// values to numbers.

import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../platform/random.js'
import type { Cell, CellType, Chunk } from '../../query/table.js'
import { constantCells } from './cells.js'
import { CellsBuilder } from './cells-builder.js'
import { newRowIndex, unknownRow } from './row-index.js'

function chunkOf(type: CellType, values: readonly (Cell | null)[]): Chunk {
  const builder = new CellsBuilder(type)
  for (const value of values) builder.push(value)
  return { rowCount: values.length, columns: [builder.finish()] }
}

function numbersOf(type: CellType, chunks: readonly (readonly (Cell | null)[])[]): number[][] {
  const index = newRowIndex([type])
  return chunks.map((values) => [...index.numbers(chunkOf(type, values), [0], () => {})])
}

function one<T>(values: readonly T[], at: number): T {
  return values[at]
}

describe('numbers of rows', () => {
  test('the same for the same value, null included', () => {
    expect(
      numbersOf('int', [
        [5n, 7n, null, 5n],
        [7n, null, 9n],
      ]),
    ).toEqual([
      [0, 1, 2, 0],
      [1, 2, 3],
    ])
    expect(
      numbersOf('string', [
        ['a', '', null, 'a'],
        ['', null],
      ]),
    ).toEqual([
      [0, 1, 2, 0],
      [1, 2],
    ])
  })

  test('null is not zero, whatever came before', () => {
    expect(
      numbersOf('int', [
        [5n, null],
        [5n, 0n],
      ]),
    ).toEqual([
      [0, 1],
      [0, 2],
    ])
  })

  test('keys of several columns', () => {
    const types = ['time', 'string', 'bool'] as const
    const random = seededRandom(3)
    const index = newRowIndex(types)
    const known = new Map<string, number>()
    const told: number[] = []
    for (let round = 0; round < 20; round++) {
      const rows = Array.from({ length: 50 }, () => [
        one([null, 0n, 1n, 2n, 1n << 40n], random.below(5)),
        one([null, '', 'a', 'b'], random.below(4)),
        one([null, true, false], random.below(3)),
      ])
      const columns = types.map((type, i) => {
        return chunkOf(
          type,
          rows.map((row) => row[i]),
        ).columns[0]
      })
      const chunk = { rowCount: rows.length, columns }
      const texts = rows.map((row) => row.map(String).join())
      const found = texts.map((text) => known.get(text) ?? unknownRow)
      expect([...index.find(chunk, [0, 1, 2])]).toEqual(found)
      for (const text of texts) if (!known.has(text)) known.set(text, known.size)
      const numbers = [...index.numbers(chunk, [0, 1, 2], (row) => told.push(row))]
      expect(numbers).toEqual(texts.map((text) => known.get(text)))
      expect(index.count).toBe(known.size)
    }
    expect(told.length).toBe(known.size)
  })

  test('new rows are told in order, once each', () => {
    const index = newRowIndex(['time'])
    const told: number[] = []
    index.numbers(chunkOf('time', [1n, 1n, 2n, 3n, 2n]), [0], (row) => told.push(row))
    expect(told).toEqual([0, 2, 3])
    expect(index.count).toBe(3)
  })

  test('find leaves the unknown unknown', () => {
    const index = newRowIndex(['int'])
    index.numbers(chunkOf('int', [1n, 2n]), [0], () => {})
    expect([...index.find(chunkOf('int', [2n, 3n, null]), [0])]).toEqual([
      1,
      unknownRow,
      unknownRow,
    ])
  })

  test('keys of several columns do not run into each other', () => {
    const index = newRowIndex(['string', 'string'])
    const first = chunkOf('string', ['1:a', '1']).columns[0]
    const second = chunkOf('string', ['', ':a']).columns[0]
    const chunk = { rowCount: 2, columns: [first, second, constantCells('string', null)] }
    expect([...index.numbers(chunk, [0, 1], () => {})]).toEqual([0, 1])
  })

  test.each(['int', 'float', 'string'] as const)('random values of %s, against a map', (type) => {
    const random = seededRandom(7)
    const known = new Map<Cell | null, number>()
    const index = newRowIndex([type])
    for (let round = 0; round < 40; round++) {
      const values = Array.from({ length: random.below(300) }, (): Cell | null => {
        const value = random.below(5000) - 2500
        if (value === 0) return null
        return type === 'int' ? BigInt(value) << 31n : type === 'float' ? value / 3 : String(value)
      })
      const expected = values.map((value) => {
        if (!known.has(value)) known.set(value, known.size)
        return known.get(value)
      })
      expect([...index.numbers(chunkOf(type, values), [0], () => {})]).toEqual(expected)
    }
    expect(index.count).toBe(known.size)
  })
})
