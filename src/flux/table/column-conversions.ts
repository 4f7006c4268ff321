// Conversions of whole columns: what `float(v:)`, `int(v:)`, `string(v:)` and the others give for each row. Between
// numbers they are loops over arrays; of texts every entry of the dictionary is converted once. A cell that cannot be
// converted gives the whole column up: the function, called row by row, says what is wrong.

import { type Cells, type CellType, cellAt, type ValueCells } from '../../query/table.js'
import { toBool, toFloat, toInt, toText, toTime, toUint } from '../value/conversion.js'
import type { FluxValue } from '../value/value.js'
import { expandCells } from './cells.js'
import { CellsBuilder } from './cells-builder.js'
import type { ColumnOperator } from './column-operators.js'
import { setWords, wordsOf } from './int64.js'
import { floatsOf, isNumberType } from './numbers.js'
import { cellOf, valueOfCell } from './row-record.js'

/** A column that only the function itself can work out, or say why it cannot be. */
export class NotByColumns extends Error {}

export interface ColumnConversion {
  readonly operator: ColumnOperator
  /** Whether some cells cannot be converted. */
  readonly canFail: boolean
}

type Convert = (value: FluxValue) => FluxValue

const converts: Readonly<Record<CellType, Convert>> = {
  bool: toBool,
  float: toFloat,
  int: toInt,
  string: toText,
  time: toTime,
  uint: toUint,
}

/** undefined: no cell of that type can be converted. */
export function columnConversion(from: CellType, to: CellType): ColumnConversion | undefined {
  if (from === to) return { operator: ([cells]) => cells, canFail: false }
  if (from === 'string') return { operator: throughDictionary(to), canFail: true }
  if (to === 'string') return { operator: oneByOne(to), canFail: false }
  if (to === 'bool')
    return isNumberType(from) ? { operator: oneByOne(to), canFail: true } : undefined
  const operator = numberConversion(from, to)
  return operator === undefined ? undefined : { operator, canFail: false }
}

function numberConversion(from: CellType, to: CellType): ColumnOperator | undefined {
  if (to === 'float') {
    if (from === 'time') return undefined
    return from === 'bool' ? oneByOne(to) : toFloats
  }
  if (to === 'time' && from !== 'int' && from !== 'uint') return undefined
  if (from === 'float') return to === 'int' ? floatsToInts : oneByOne(to)
  return from === 'bool' ? oneByOne(to) : sameBits(to as 'int' | 'uint' | 'time')
}

const toFloats: ColumnOperator = ([cells], rowCount) => {
  const { values, validity } = floatsOf(cells, rowCount)
  return { kind: 'values', type: 'float', values, validity }
}

/** Towards zero. */
const floatsToInts: ColumnOperator = ([cells], rowCount) => {
  const { values: from, validity } = expandCells(cells, rowCount)
  const values = new BigInt64Array(rowCount)
  const words = wordsOf(values)
  for (let row = 0; row < rowCount; row++) {
    const value = Math.trunc(from[row] as number)
    if (Number.isSafeInteger(value)) setWords(words, row, value)
    else values[row] = toInt(value)!
  }
  return { kind: 'values', type: 'int', values, validity }
}

/** Integers of 64 bits and times: only how the bits are read is another. */
function sameBits(to: 'int' | 'uint' | 'time'): ColumnOperator {
  return ([cells], rowCount) => {
    const { values, validity } = expandCells(cells, rowCount)
    const { buffer, byteOffset, length } = values
    const Values = to === 'uint' ? BigUint64Array : BigInt64Array
    const own = new Values(buffer as ArrayBuffer, byteOffset, length)
    return { kind: 'values', type: to, values: own, validity } as ValueCells
  }
}

function oneByOne(to: CellType): ColumnOperator {
  const convert = converts[to]
  return ([cells], rowCount) => {
    const builder = new CellsBuilder(to, rowCount)
    for (let row = 0; row < rowCount; row++) {
      builder.push(cellOf(tried(convert, valueOfCell(cells.type, cellAt(cells, row)))))
    }
    return builder.finish()
  }
}

function throughDictionary(to: CellType): ColumnOperator {
  const convert = converts[to]
  return ([given], rowCount) => {
    const cells = expandCells(given, rowCount) as Extract<Cells, { dictionary: unknown }>
    const { values, dictionary, validity } = cells
    const known: (ReturnType<typeof cellOf> | undefined)[] = []
    const builder = new CellsBuilder(to, rowCount)
    for (let row = 0; row < rowCount; row++) {
      if (validity !== undefined && validity[row] === 0) {
        builder.push(null)
        continue
      }
      const entry = values[row]
      known[entry] ??= cellOf(tried(convert, dictionary[entry]))
      builder.push(known[entry]!)
    }
    return builder.finish()
  }
}

function tried(convert: Convert, value: FluxValue): FluxValue {
  try {
    return convert(value)
  } catch {
    throw new NotByColumns()
  }
}
