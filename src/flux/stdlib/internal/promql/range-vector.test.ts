// Every function over samples gives the same whether a table comes in one chunk or in many, and rows without
// a value or a time do not count.

import { expect, it, test } from 'vitest'
import type { Chunk, TableColumn } from '../../../../query/table.js'
import type { FluxContext } from '../../../context/context.js'
import { constantCells, sliceChunk } from '../../../table/cells.js'
import { floatCells } from '../../../table/numbers.js'
import { type Table, tableOf } from '../../../table/table.js'
import { GroupKey } from '../../../value/key.js'
import { changes, extrapolatedRate, instantRate, resets } from './counters.js'
import { foldTables, type RangeFunction } from './range-vector.js'
import { holtWinters, linearRegression } from './trends.js'

const secondNs = 1_000_000_000n
const startNs = 1_700_000_000n * secondNs
const key = GroupKey.of([
  { name: '_start', type: 'time', value: startNs },
  { name: '_stop', type: 'time', value: startNs + 100n * secondNs },
])
const columns: TableColumn[] = [
  { name: '_start', type: 'time' },
  { name: '_stop', type: 'time' },
  { name: '_time', type: 'time' },
  { name: '_value', type: 'float' },
]

function chunkOf(values: readonly (number | null)[]): Chunk {
  const times = BigInt64Array.from(values, (_, i) => startNs + BigInt(i * 7) * secondNs)
  const validity = Uint8Array.from(values, (value) => (value === null ? 0 : 1))
  const floats = Float64Array.from(values, (value) => value ?? 0)
  return {
    rowCount: values.length,
    columns: [
      ...key.entries.map(({ type, value }) => constantCells(type, value)),
      { kind: 'values', type: 'time', values: times, validity: undefined },
      floatCells(floats, validity.includes(0) ? validity : undefined),
    ],
  }
}

async function resultOf(fn: RangeFunction, chunks: readonly Chunk[]): Promise<unknown> {
  const input = async function* (): AsyncGenerator<Table> {
    yield tableOf(key, columns, chunks)
  }
  const context = { signal: new AbortController().signal } as FluxContext
  for await (const table of foldTables(input(), context, fn)) {
    const [{ columns: cells }] = table.chunks() as Iterable<Chunk>
    return cells[table.columns.findIndex(({ name }) => name === '_value')]
  }
  return undefined
}

const functions: readonly (readonly [string, RangeFunction])[] = [
  ['changes', changes],
  ['resets', resets],
  ['extrapolatedRate', extrapolatedRate(true, true)],
  ['instantRate', instantRate(true)],
  ['linearRegression', linearRegression(undefined)],
  ['linearRegression that predicts', linearRegression(60)],
  ['holtWinters', holtWinters(0.3, 0.6)],
]

const values = [3, 4.5, null, 4.5, 1, null, null, 2.25, 9, 8.5, 12]

test.each(functions)('%s', async (_, fn) => {
  const whole = chunkOf(values)
  const expected = await resultOf(fn, [whole])
  expect(expected).toMatchObject({ kind: 'constant', type: 'float' })
  for (const size of [1, 2, 3, 5]) {
    const chunks: Chunk[] = []
    for (let at = 0; at < values.length; at += size) {
      chunks.push(sliceChunk(whole, at, Math.min(values.length, at + size)))
    }
    expect(await resultOf(fn, chunks)).toEqual(expected)
  }
})

it('says nothing of a table without samples', async () => {
  for (const [, fn] of functions)
    expect(await resultOf(fn, [chunkOf([null, null])])).toBeUndefined()
})

it('says which column is missing', async () => {
  const input = async function* (): AsyncGenerator<Table> {
    yield tableOf(key, columns.slice(0, 3), [])
  }
  const context = { signal: new AbortController().signal } as FluxContext
  const read = async (): Promise<void> => {
    for await (const _ of foldTables(input(), context, changes)) return
  }
  await expect(read()).rejects.toThrow(
    'value column not found (cols: [{_start time} {_stop time} {_time time}]): _value',
  )
})
