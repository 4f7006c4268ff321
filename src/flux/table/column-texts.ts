// Operators over whole columns of texts: comparison by bytes, patterns, and putting together. What depends on one text
// alone is worked out once for each entry of a dictionary, not for each row.

import { compareUtf8 } from '../../column/series.js'
import type { Cells, StringCells } from '../../query/table.js'
import { matches } from '../value/regexp.js'
import { checkTextLength } from '../value/size.js'
import type { Regexp } from '../value/value.js'
import { expandCells } from './cells.js'
import { NotByColumns } from './column-conversions.js'
import { bothValid, type ColumnOperator, type Comparison, verdictsOf } from './column-operators.js'

function textsOf(cells: Cells, rowCount: number): StringCells {
  return expandCells(cells, rowCount) as StringCells
}

export function compareTexts(op: Comparison): ColumnOperator {
  const { less, equal, greater } = verdictsOf(op)
  const isOrder = op !== '==' && op !== '!='
  return ([left, right], rowCount) => {
    const a = textsOf(left, rowCount)
    const b = textsOf(right, rowCount)
    const values = new Uint8Array(rowCount)
    for (let row = 0; row < rowCount; row++) {
      const x = a.dictionary[a.values[row]]
      const y = b.dictionary[b.values[row]]
      if (x === y) values[row] = equal
      else values[row] = !isOrder || compareUtf8(x, y) > 0 ? greater : less
    }
    const validity = bothValid(a.validity, b.validity, rowCount)
    return { kind: 'values', type: 'bool', values, validity }
  }
}

export function matchTexts(regexp: Regexp, isNegated: boolean): ColumnOperator {
  return ([cells], rowCount) => {
    const { values: numbers, dictionary, validity } = textsOf(cells, rowCount)
    const known = new Int8Array(dictionary.length).fill(-1)
    const values = new Uint8Array(rowCount)
    for (let row = 0; row < rowCount; row++) {
      if (validity !== undefined && validity[row] === 0) continue
      const entry = numbers[row]
      if (known[entry] < 0) known[entry] = matches(regexp, dictionary[entry]) === isNegated ? 0 : 1
      values[row] = known[entry]
    }
    return { kind: 'values', type: 'bool', values, validity }
  }
}

/** One behind the other; a row in which one of them is missing has none. */
export const joinTexts: ColumnOperator = ([left, right], rowCount) => {
  if (right.kind === 'constant' && typeof right.value === 'string') {
    const { value } = right
    return everyText(left, rowCount, (text) => text + value)
  }
  if (left.kind === 'constant' && typeof left.value === 'string') {
    const { value } = left
    return everyText(right, rowCount, (text) => value + text)
  }
  const a = textsOf(left, rowCount)
  const b = textsOf(right, rowCount)
  const validity = bothValid(a.validity, b.validity, rowCount)
  const values = new Uint32Array(rowCount)
  const dictionary: string[] = []
  for (let row = 0; row < rowCount; row++) {
    if (validity !== undefined && validity[row] === 0) continue
    const text = a.dictionary[a.values[row]] + b.dictionary[b.values[row]]
    values[row] = dictionary.push(bounded(text)) - 1
  }
  if (dictionary.length === 0) dictionary.push('')
  return { kind: 'values', type: 'string', values, dictionary, validity }
}

function everyText(cells: Cells, rowCount: number, change: (text: string) => string): Cells {
  const { values, dictionary, validity } = textsOf(cells, rowCount)
  const changed = dictionary.map((text) => bounded(change(text)))
  return { kind: 'values', type: 'string', values, dictionary: changed, validity }
}

function bounded(text: string): string {
  try {
    checkTextLength(text.length)
    return text
  } catch {
    throw new NotByColumns()
  }
}

/** The column where every row has a value: a text with a hole in it fails. */
export const everyRow: ColumnOperator = ([cells], rowCount) => {
  if (cells.kind === 'constant') {
    if (cells.value === null) throw new NotByColumns()
    return cells
  }
  const { validity } = cells
  if (validity === undefined) return cells
  for (let row = 0; row < rowCount; row++) if (validity[row] === 0) throw new NotByColumns()
  return cells
}
