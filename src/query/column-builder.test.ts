// Columns made value by value: types, holes, growth, integers that outgrow floats, strings that are
// shared, and rows taken from other columns.

import { expect, test } from 'vitest'
import { type Column, dictionaryEntry, type Value, valueAt } from '../column/column.js'
import { ColumnBuilder, constantString, dictionaryOf, gatherColumn } from './column-builder.js'

function valuesOf(column: Column): (Value | null)[] {
  return Array.from({ length: column.values.length }, (_, row) => valueAt(column, row))
}

function built(type: Column['type'], ...values: (Value | null)[]): Column {
  const builder = new ColumnBuilder(type, 1)
  for (const value of values) builder.push(value)
  expect(builder.count).toBe(values.length)
  return builder.finish()
}

test('every type, with holes anywhere', () => {
  expect(valuesOf(built('float', 1.5, null, -2, null))).toEqual([1.5, null, -2, null])
  expect(valuesOf(built('integer', null, 7, 8n))).toEqual([null, 7n, 8n])
  expect(valuesOf(built('boolean', true, false, null))).toEqual([true, false, null])
  expect(valuesOf(built('string', 'a', null, '', 'ü'))).toEqual(['a', null, '', 'ü'])
  expect(valuesOf(built('float', 3n))).toEqual([3])
})

test('without holes there is nothing that says where they are', () => {
  expect(built('float', 1, 2, 3).validity).toBeUndefined()
  expect(built('float').values.length).toBe(0)
})

test('integers stay floats until one is too wide for them', () => {
  expect(built('integer', 1, 2n ** 53n - 1n).values).toBeInstanceOf(Float64Array)
  const wide = built('integer', 1, null, 2n ** 53n + 1n, 5)
  expect(wide.values).toBeInstanceOf(BigInt64Array)
  expect(valuesOf(wide)).toEqual([1n, null, 2n ** 53n + 1n, 5n])
  const unsigned = built('unsigned', 1, 2n ** 64n - 1n, null)
  expect(unsigned.values).toBeInstanceOf(BigUint64Array)
  expect(valuesOf(unsigned)).toEqual([1n, 2n ** 64n - 1n, null])
})

test('beyond 64 bits integers wrap around', () => {
  expect(valuesOf(built('integer', 2n ** 63n))).toEqual([-(2n ** 63n)])
  expect(valuesOf(built('unsigned', 2n ** 64n + 2n ** 60n))).toEqual([2n ** 60n])
})

test('equal strings share an entry', () => {
  const column = built('string', 'a', 'b', 'a')
  expect(column.type === 'string' && column.dictionary.count).toBe(2)
})

test('values of other columns, one by one and in stretches', () => {
  const strings = built('string', 'x', null, 'y')
  const numbers = built('float', 1, null, 3)
  const wide = built('integer', 2n ** 60n, null, 1)
  for (const source of [strings, numbers, wide]) {
    const single = new ColumnBuilder(source.type)
    for (const row of [2, 1, 0]) single.pushFrom(source, row)
    expect(valuesOf(single.finish())).toEqual(valuesOf(source).reverse())
    const stretch = new ColumnBuilder(source.type)
    stretch.pushNulls(1)
    stretch.pushRange(source, 1, 3)
    stretch.pushRange(source, 0, 1)
    const [first, second, third] = valuesOf(source)
    expect(valuesOf(stretch.finish())).toEqual([null, second, third, first])
  }
})

test('a hole behind a stretch without holes', () => {
  const builder = new ColumnBuilder('float', 2)
  builder.pushRange(built('float', 1, 2, 3), 0, 3)
  builder.pushNull()
  builder.pushRange(built('float', 4), 0, 1)
  expect(valuesOf(builder.finish())).toEqual([1, 2, 3, null, 4])
})

test('a value of another type is refused', () => {
  expect(() => new ColumnBuilder('float').pushFrom(built('string', 'x'), 0)).toThrow()
  expect(() => new ColumnBuilder('boolean').pushRange(built('float', 1), 0, 1)).toThrow()
})

test('strings for all rows, dictionaries, rows in another order', () => {
  expect(valuesOf(constantString('x', 2))).toEqual(['x', 'x'])
  expect(valuesOf(constantString(null, 2))).toEqual([null, null])
  expect([...dictionaryOf(['a', 'üb', '']).offsets]).toEqual([0, 1, 4, 4])
  const order = Uint32Array.of(2, 0, 0)
  expect(valuesOf(gatherColumn(built('string', 'a', null, 'c'), order))).toEqual(['c', 'a', 'a'])
  expect(valuesOf(gatherColumn(built('float', null, 1, 2), order))).toEqual([2, null, null])
})

test('dictionaries hold every text apart, whatever its characters', () => {
  // Two halves of one character that are not to become one, and a text beyond ASCII.
  for (const texts of [['a', '', 'bc'], ['ä', '', 'b'], ['x\ud83d', '\ude00y'], []]) {
    const dictionary = dictionaryOf(texts)
    expect(dictionary.count).toBe(texts.length)
    const read = texts.map((_, i) => dictionaryEntry(dictionary, i))
    expect(read).toEqual(texts.map((text) => Buffer.from(text).toString()))
  }
})
