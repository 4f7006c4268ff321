// Points as rows, for tests: rows go into blocks of given lengths, each with a base of its own, and
// what functions make comes out as rows again.

import { type FieldType, type Value, valueAt } from '../../src/column/column.js'
import { allTime, timeAt } from '../../src/column/time.js'
import { assert } from '../../src/errors.js'
import { outputType, type ReducerSpec } from '../../src/influxql/functions/function-spec.js'
import { findFunction, functions } from '../../src/influxql/functions/functions.js'
import {
  type Points,
  PointsBuilder,
  type Reducer,
  type Transform,
} from '../../src/influxql/functions/points.js'
import type { Expression } from '../../src/influxql/syntax/ast.js'
import { parseExpression } from '../../src/influxql/syntax/parser.js'
import { type Random, seededRandom } from '../../src/platform/random.js'
import { ColumnBuilder } from '../../src/query/column-builder.js'

/** A time, a value, and the values of companions. */
export type Row = readonly [bigint, ...(Value | null)[]]

export function blocksOf(
  rows: readonly Row[],
  types: readonly FieldType[],
  length = rows.length,
): Points[] {
  const blocks: Points[] = []
  for (let start = 0; start < rows.length; start += length) {
    const part = rows.slice(start, start + length)
    const base = part[0][0] - BigInt(start)
    const [values, ...companions] = types.map((type, c) => {
      const column = new ColumnBuilder(type)
      for (const row of part) column.push(row[c + 1])
      return column.finish()
    })
    const offsets = Float64Array.from(part, (row) => Number(row[0] - base))
    blocks.push({ count: part.length, times: { base, offsets }, values, companions })
  }
  return blocks
}

export function rowsOf(blocks: readonly Points[]): Row[] {
  const rows: Row[] = []
  for (const { count, times, values, companions } of blocks) {
    for (let row = 0; row < count; row++) {
      const others = companions.map((column) => valueAt(column, row))
      rows.push([timeAt(times, row), valueAt(values, row), ...others])
    }
  }
  return rows
}

export interface CallOptions {
  /** Behind the field, as they are written: `4, -1`. */
  readonly args?: string
  readonly descending?: boolean
  readonly tagCompanions?: readonly number[]
  readonly random?: Random
  readonly intervalNs?: bigint
}

/** The name of a function, or `count distinct`. */
function reducerSpec(name: string): ReducerSpec {
  const spec = name === 'count distinct' ? functions.count.ofDistinct : findFunction(name)
  assert(spec?.kind !== 'math' && spec?.work === 'reduce', `no reducer is called ${name}`)
  return spec
}

function argumentsOf(text = ''): readonly Expression[] {
  const call = parseExpression(text === '' ? 'f(x)' : `f(x, ${text})`)
  return call.kind === 'call' ? call.args.slice(1) : []
}

export function reducerOf(
  name: string,
  types: readonly FieldType[],
  options: CallOptions,
): Reducer {
  const [inputType, ...companionTypes] = types
  const { args, descending = false, tagCompanions = [], random = seededRandom(1) } = options
  const call = { inputType, companionTypes, descending, tagCompanions, random }
  return reducerSpec(name).make({ ...call, args: argumentsOf(args) })
}

export function transformOf(name: string, inputType: FieldType, options: CallOptions): Transform {
  const { args, descending = false, intervalNs = 0n } = options
  const windows = { isSplit: false, windowOf: () => allTime }
  const spec = findFunction(name)
  assert(spec?.kind === 'transform', `no transform is called ${name}`)
  return spec.make({ inputType, descending, intervalNs, windows, args: argumentsOf(args) })
}

/** Undefined: the function refuses the type. */
export function typeGiven(name: string, inputType: FieldType): FieldType | undefined {
  const spec = name === 'count distinct' ? functions.count.ofDistinct : findFunction(name)
  return spec === undefined || spec.kind === 'math' ? undefined : outputType(spec, inputType)
}

/** One window whose start is 0, in blocks that are added in two halves each. */
export function reduceRows(
  name: string,
  types: readonly FieldType[],
  rows: readonly Row[],
  options: CallOptions & { readonly blockLength?: number } = {},
): Row[] {
  const [inputType, ...companionTypes] = types
  const reducer = reducerOf(name, types, options)
  const out = new PointsBuilder(typeGiven(name, inputType)!, companionTypes)
  for (const points of blocksOf(rows, types, options.blockLength)) {
    const middle = points.count >> 1
    reducer.add(points, 0, middle)
    reducer.add(points, middle, points.count)
  }
  reducer.finish(out)
  return rowsOf(out.take())
}

export function transformRows(
  name: string,
  type: FieldType,
  rows: readonly Row[],
  options: CallOptions & { readonly blockLength?: number } = {},
): Row[] {
  const transform = transformOf(name, type, options)
  return runTransform(transform, typeGiven(name, type)!, type, rows, options.blockLength)
}

export function runTransform(
  transform: Transform,
  outputType: FieldType,
  inputType: FieldType,
  rows: readonly Row[],
  blockLength?: number,
): Row[] {
  const out = new PointsBuilder(outputType)
  for (const points of blocksOf(rows, [inputType], blockLength)) transform.add(points, out)
  transform.finish(out)
  return rowsOf(out.take())
}

const seconds = [3, 10, 11, 12, 19, 21, 23, 24, 25, 30, 37, 39, 46, 53, 56, 57]
const floats = [
  44.787, -40.587, -41.405, 5.105, 44.771, -45.342, 4.069, 8.16, 4.774, 18.04, 42.344, 19.899,
  -0.488, 48.017, -34.802, 26.457,
]
const integers = [5, 17, 6, -17, 16, -12, 16, 20, -16, 7, 3, -5, 1, -13, 11, 16]
const strings = 'a a a a dd c c b a c c a dd dd dd c'.split(' ')
const booleans = 't t t t t f t f t f t f f t t f'.split(' ').map((letter) => letter === 't')

/** The points whose answers from an InfluxDB 1.6.7 stand in the tests. */
export const measured = seconds.map((second, row) => ({
  time: BigInt(second) * 1_000_000_000n + 1000n,
  f: floats[row],
  i: BigInt(integers[row]),
  s: strings[row],
  b: booleans[row],
}))

/** Some fields of the points above as rows. */
export function measuredRows(...fields: ('f' | 'i' | 's' | 'b')[]): Row[] {
  return measured.map((point) => [point.time, ...fields.map((field) => point[field])])
}
