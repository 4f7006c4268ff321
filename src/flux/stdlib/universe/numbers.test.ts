// Every function that computes gives the same whether a table comes in one chunk or in many, and keeps
// no memory; then the parts that have their own arithmetic.

import { expect, it } from 'vitest'
import { seededRandom } from '../../../platform/random.js'
import { type Cell, type CellType, type Chunk, cellAt } from '../../../query/table.js'
import type { FluxContext } from '../../context/context.js'
import { MemoryMeter } from '../../context/memory-meter.js'
import { StreamNode } from '../../node/node.js'
import { Call } from '../../package/define.js'
import { sliceChunk } from '../../table/cells.js'
import { CellsBuilder } from '../../table/cells-builder.js'
import { extremeInt64, floatsOfInt64, sumInt64 } from '../../table/int64.js'
import { type Table, type TableStream, tableOf } from '../../table/table.js'
import { singleTables } from '../../table/table-batch.js'
import { GroupKey } from '../../value/key.js'
import { Duration, type FluxValue } from '../../value/value.js'
import { numbers } from './numbers.js'
import { searchSimplex } from './simplex-search.js'
import { TDigest } from './t-digest.js'

class CountingMeter extends MemoryMeter {
  usedBytes = 0

  override take(bytes: number): void {
    super.take(bytes)
    this.usedBytes += bytes
  }

  override release(bytes: number): void {
    super.release(bytes)
    this.usedBytes -= bytes
  }
}

const hour = 3_600_000_000_000n
const stopNs = 1000n * hour

const key = GroupKey.of([
  { name: '_start', type: 'time', value: 0n },
  { name: '_stop', type: 'time', value: stopNs },
])

const columns = [
  { name: '_start', type: 'time' as CellType },
  { name: '_stop', type: 'time' as CellType },
  { name: '_time', type: 'time' as CellType },
  { name: '_value', type: 'float' as CellType },
  { name: 'le', type: 'float' as CellType },
]

function rowsOf(type: CellType, count: number, seed: number): Chunk {
  const random = seededRandom(seed)
  const times = new CellsBuilder('time')
  const values = new CellsBuilder(type)
  const bounds = new CellsBuilder('float')
  for (let i = 0; i < count; i++) {
    // A time comes twice now and then, and a value is missing.
    times.push(BigInt(i - (i % 7 === 6 ? 1 : 0)) * hour)
    const number = random.below(2000) - (type === 'uint' ? 0 : 1000)
    if (i % 5 === 3) values.push(null)
    else values.push(type === 'float' ? number / 8 : BigInt(number))
    bounds.push(i)
  }
  const cells = [times.finish(), values.finish(), bounds.finish()]
  const keyCells = key.entries.map(
    ({ type, value }) => ({ kind: 'constant', type, value }) as const,
  )
  return { rowCount: count, columns: [...keyCells, ...cells] }
}

/** The same rows in pieces. */
function inChunks(type: CellType, rows: Chunk, size: number): Table {
  const chunks: Chunk[] = []
  for (let start = 0; start < rows.rowCount; start += size) {
    chunks.push(sliceChunk(rows, start, Math.min(start + size, rows.rowCount)))
  }
  const typed = columns.map((column) => (column.name === '_value' ? { ...column, type } : column))
  return tableOf(key, typed, chunks)
}

function contextWith(memory: MemoryMeter): FluxContext {
  return { memory, signal: new AbortController().signal } as FluxContext
}

async function* streamOf(table: Table): TableStream {
  yield table
}

async function run(
  name: string,
  args: readonly (readonly [string, FluxValue])[],
  table: Table,
  memory = new MemoryMeter(0),
): Promise<(Cell | null)[][]> {
  const definition = numbers[name]
  if (definition?.kind !== 'function') throw new Error(`there is no function ${name}`)
  const context = contextWith(memory)
  const input = new StreamNode('test', new Map(), [], () => streamOf(table), undefined)
  const given = new Map<string, FluxValue>([['tables', input], ...args])
  const node = await definition.call(new Call(`universe.${name}`, given, context, undefined))
  const rows: (Cell | null)[][] = []
  const results = (node as StreamNode).run([streamOf(table)], context)
  for await (const result of singleTables(results)) {
    for await (const { rowCount, columns } of result.chunks()) {
      for (let row = 0; row < rowCount; row++) rows.push(columns.map((cells) => cellAt(cells, row)))
    }
  }
  return rows
}

/** Sums that begin anew with a chunk round otherwise; all else must be the same. */
function firstDifference(a: (Cell | null)[][], b: (Cell | null)[][]): string | undefined {
  if (a.length !== b.length) return `${a.length} rows, not ${b.length}`
  for (let row = 0; row < a.length; row++) {
    for (let column = 0; column < a[row].length; column++) {
      const [x, y] = [a[row][column], b[row][column]]
      if (Object.is(x, y) || Math.abs(Number(x) - Number(y)) < 1e-9) continue
      return `row ${row}, column ${column}: ${x}, not ${y}`
    }
  }
  return undefined
}

const n3 = ['n', 3n] as const
const calls: readonly (readonly [string, ...(readonly [string, FluxValue])[]])[] = [
  ...Object.keys(numbers)
    .filter(
      (name) =>
        !/quantile|istogram|timeW|cov|holt|EMA|Average|ER|AMA|Index|Osc|Triple|triple/.test(name),
    )
    .map((name) => [name] as const),
  ['quantile', ['q', 0.3]],
  ['quantile', ['q', 0.3], ['compression', 3]],
  ['quantile', ['q', 0.3], ['method', 'exact_selector']],
  ['timeWeightedAvg', ['unit', new Duration(0n, hour, false)]],
  ['integral', ['interpolate', 'linear']],
  ['difference', ['keepFirst', true], ['nonNegative', true], ['initialZero', true]],
  ['derivative', ['nonNegative', true], ['unit', new Duration(0n, hour, false)]],
  ['movingAverage', n3],
  ['movingAverage', ['n', 70n]],
  ['movingAverage', ['n', 500n]],
  ['exponentialMovingAverage', n3],
  ['doubleEMA', n3],
  ['tripleEMA', n3],
  ['tripleExponentialDerivative', n3],
  ['tripleExponentialDerivative', ['n', 60n]],
  ['chandeMomentumOscillator', n3],
  ['kaufmansER', n3],
  ['kaufmansAMA', n3],
  ['kaufmansAMA', ['n', 1n]],
  ['relativeStrengthIndex', n3],
  ['relativeStrengthIndex', ['n', 500n]],
]
const floatCalls: typeof calls = [
  ['holtWinters', ['n', 2n], ['interval', new Duration(0n, 40n * hour, false)]],
  ['quantile', ['q', 0.3], ['method', 'exact_mean']],
  ['histogram', ['bins', [-100, 0, 50.5, Number.POSITIVE_INFINITY]]],
  ['covariance', ['columns', ['_value', 'le']]],
  ['histogramQuantile', ['quantile', 0.4], ['countColumn', 'le'], ['upperBoundColumn', 'le']],
]

for (const type of ['float', 'int', 'uint'] as const) {
  it(`chunks do not matter to columns of ${type}`, async () => {
    const rows = rowsOf(type, 150, 7)
    for (const [name, ...args] of [...calls, ...(type === 'float' ? floatCalls : [])]) {
      const whole = await run(name, args, inChunks(type, rows, 1000))
      for (const size of [1, 2, 64]) {
        const memory = new CountingMeter(0)
        const pieces = await run(name, args, inChunks(type, rows, size), memory)
        const call = `${name} ${args.join(' ')} in chunks of ${size}`
        expect(firstDifference(pieces, whole), call).toBeUndefined()
        expect(memory.usedBytes, call).toBe(0)
      }
    }
  })
}

it('halves of 64 bits', () => {
  const random = seededRandom(11)
  const list = Array.from({ length: 300 }, () => {
    const word = (): bigint => BigInt(random.uint32())
    return BigInt.asIntN(64, (word() << 32n) | word())
  })
  const values = BigInt64Array.from([...list, -1n, 0n, 2n ** 63n - 1n, -(2n ** 63n)])
  const unsigned = BigUint64Array.from(values, (value) => BigInt.asUintN(64, value))
  for (const array of [values, unsigned]) {
    expect([...floatsOfInt64(array, array.length)]).toEqual([...array].map(Number))
    const sum = [...array].reduce((total, value) => total + value, 0n)
    expect(sumInt64(array, undefined, array.length)).toBe(sum)
    const sorted = [...array].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
    expect(array[extremeInt64(array, undefined, array.length, 'min')]).toBe(sorted[0])
    expect(array[extremeInt64(array, undefined, array.length, 'max')]).toBe(sorted.at(-1))
  }
})

it('a t-digest is near the truth, and nearer towards the ends', () => {
  const random = seededRandom(5)
  const digest = new TDigest(100)
  const values = Float64Array.from({ length: 50_000 }, () => random.float() ** 3)
  for (const value of values) digest.add(value)
  values.sort()
  const rank = (x: number): number => values.findIndex((value) => value >= x) / values.length
  for (const q of [0.001, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999]) {
    const error = Math.abs(rank(digest.quantile(q)) - q)
    expect(error, `quantile ${q}`).toBeLessThan(0.06 * Math.sqrt(q * (1 - q)))
  }
  expect(digest.quantile(0)).toBe(values[0])
  expect(digest.bytes).toBeLessThan(20_000)
})

it('the simplex finds the bottom of a bent valley', () => {
  const valley = ([x, y]: Float64Array): number => (1 - x) ** 2 + 100 * (y - x * x) ** 2
  const search = searchSimplex(valley, Float64Array.of(-1.2, 1))
  let step = search.next()
  while (step.done !== true) step = search.next()
  expect(step.value.value).toBeLessThan(1e-4)
  expect(step.value.at[0]).toBeCloseTo(1, 1)
})

it('holtWinters goes on with what repeats', async () => {
  const times = new CellsBuilder('time')
  const values = new CellsBuilder('float')
  for (let i = 0; i < 12; i++) {
    times.push(BigInt(i) * hour)
    values.push([10, 30][i % 2])
  }
  const keyCells = key.entries.map(
    ({ type, value }) => ({ kind: 'constant', type, value }) as const,
  )
  const cells = [times.finish(), values.finish()]
  const table = tableOf(key, columns.slice(0, 4), [
    { rowCount: 12, columns: [...keyCells, ...cells] },
  ])
  const interval = new Duration(0n, hour, false)
  const args = [['n', 2n] as const, ['interval', interval] as const, ['seasonality', 2n] as const]
  const rows = await run('holtWinters', args, table)
  expect(rows.map((row) => row[2])).toEqual([12n, 13n].map((i) => i * hour))
  rows.forEach((row, i) => {
    expect(Math.abs((row[3] as number) - [10, 30][i])).toBeLessThan(6)
  })
  const fitted = await run('holtWinters', [...args, ['withFit', true], ['withMinSSE', true]], table)
  expect(fitted.length).toBe(14)
  expect(fitted[0].slice(2, 4)).toEqual([0n, 10])
})
