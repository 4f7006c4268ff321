// Operators over whole columns, one loop each: what the operators of `value/operators.ts` give for each
// row of floats, truth values and times, and comparisons of integers. No row can fail. Where a side has
// no value, there is none.

import { type Cells, cellAt, type ValueCells } from '../../query/table.js'
import { constantCells, expandCells } from './cells.js'
import { type Int64Values, wordsOf } from './int64.js'

export type Arithmetic = '+' | '-' | '*' | '/' | '%'
export type Comparison = '==' | '!=' | '<' | '<=' | '>' | '>='

export type ColumnOperator = (operands: readonly Cells[], rowCount: number) => Cells

/** Operands that are the same in all rows give a result that is. */
export function onceIfConstant(operator: ColumnOperator): ColumnOperator {
  return (operands, rowCount) => {
    if (!operands.every(({ kind }) => kind === 'constant')) return operator(operands, rowCount)
    const result = operator(operands, 1)
    return constantCells(result.type, cellAt(result, 0))
  }
}

type Validity = Uint8Array | undefined

/** Where both have a value. */
export function bothValid(a: Validity, b: Validity, rowCount: number): Validity {
  if (a === undefined || b === undefined) return a ?? b
  const both = new Uint8Array(rowCount)
  for (let row = 0; row < rowCount; row++) both[row] = a[row] & b[row]
  return both
}

export function floatArithmetic(op: Arithmetic): ColumnOperator {
  return ([left, right], rowCount) => {
    const { values: a, validity } = expandCells(left, rowCount)
    const { values: b, validity: other } = expandCells(right, rowCount)
    const values = new Float64Array(rowCount)
    computeFloats(op, a as Float64Array, b as Float64Array, values)
    return { kind: 'values', type: 'float', values, validity: bothValid(validity, other, rowCount) }
  }
}

function computeFloats(op: Arithmetic, a: Float64Array, b: Float64Array, to: Float64Array): void {
  const { length } = to
  switch (op) {
    case '+':
      for (let row = 0; row < length; row++) to[row] = a[row] + b[row]
      break
    case '-':
      for (let row = 0; row < length; row++) to[row] = a[row] - b[row]
      break
    case '*':
      for (let row = 0; row < length; row++) to[row] = a[row] * b[row]
      break
    case '/':
      for (let row = 0; row < length; row++) to[row] = a[row] / b[row]
      break
    case '%':
      for (let row = 0; row < length; row++) to[row] = a[row] % b[row]
      break
  }
}

/** Of each two floats. */
export function floatFunction(fn: (a: number, b: number) => number): ColumnOperator {
  return ([left, right], rowCount) => {
    const { values: a, validity } = expandCells(left, rowCount)
    const { values: b, validity: other } = expandCells(right, rowCount)
    const values = new Float64Array(rowCount)
    for (let row = 0; row < rowCount; row++) values[row] = fn(a[row] as number, b[row] as number)
    return { kind: 'values', type: 'float', values, validity: bothValid(validity, other, rowCount) }
  }
}

/** What the operator says of a left side that is less, equal, greater, or none of these. */
export interface Verdicts {
  readonly less: number
  readonly equal: number
  readonly greater: number
  readonly neither: number
}

export function verdictsOf(op: Comparison): Verdicts {
  const is = (...ops: Comparison[]) => (ops.includes(op) ? 1 : 0)
  return {
    less: is('<', '<=', '!='),
    equal: is('==', '<=', '>='),
    greater: is('>', '>=', '!='),
    neither: is('!='),
  }
}

export function compareFloats(op: Comparison): ColumnOperator {
  const { less, equal, greater, neither } = verdictsOf(op)
  return ([left, right], rowCount) => {
    const { values: a, validity } = expandCells(left, rowCount)
    const { values: b, validity: other } = expandCells(right, rowCount)
    const values = new Uint8Array(rowCount)
    for (let row = 0; row < rowCount; row++) {
      const x = a[row] as number
      const y = b[row] as number
      values[row] = x < y ? less : x > y ? greater : x === y ? equal : neither
    }
    return boolCells(values, bothValid(validity, other, rowCount))
  }
}

/** Of integers with and without sign, and of times. */
export function compareInts(op: Comparison): ColumnOperator {
  const { less, equal, greater } = verdictsOf(op)
  return ([left, right], rowCount) => {
    const { values: a, validity } = expandCells(left, rowCount)
    const { values: b, validity: other } = expandCells(right, rowCount)
    const { low: aLow, high: aHigh } = wordsOf(a as Int64Values)
    const { low: bLow, high: bHigh } = wordsOf(b as Int64Values)
    const values = new Uint8Array(rowCount)
    for (let row = 0; row < rowCount; row++) {
      const high = aHigh[2 * row + 1] - bHigh[2 * row + 1]
      const order = high === 0 ? aLow[2 * row] - bLow[2 * row] : high
      values[row] = order < 0 ? less : order > 0 ? greater : equal
    }
    return boolCells(values, bothValid(validity, other, rowCount))
  }
}

function boolCells(values: Uint8Array, validity: Validity): Cells {
  return { kind: 'values', type: 'bool', values, validity }
}

/** Unknown stays unknown unless the other side decides alone: false for `and`, true for `or`. */
export function logical(op: 'and' | 'or'): ColumnOperator {
  const deciding = op === 'or' ? 1 : 0
  return ([left, right], rowCount) => {
    const { values: a, validity: aValid } = expandCells(left, rowCount)
    const { values: b, validity: bValid } = expandCells(right, rowCount)
    const values = new Uint8Array(rowCount)
    const hasHoles = aValid !== undefined || bValid !== undefined
    const validity = hasHoles ? new Uint8Array(rowCount).fill(1) : undefined
    for (let row = 0; row < rowCount; row++) {
      const isKnownA = aValid === undefined || aValid[row] !== 0
      const isKnownB = bValid === undefined || bValid[row] !== 0
      const isDecided = (isKnownA && a[row] === deciding) || (isKnownB && b[row] === deciding)
      values[row] = isDecided ? deciding : 1 - deciding
      if (!isDecided && !(isKnownA && isKnownB)) validity![row] = 0
    }
    return boolCells(values, validity)
  }
}

export const negation: ColumnOperator = ([cells], rowCount) => {
  const { values: from, validity } = expandCells(cells, rowCount)
  const values = new Uint8Array(rowCount)
  for (let row = 0; row < rowCount; row++) values[row] = from[row] === 0 ? 1 : 0
  return boolCells(values, validity)
}

export const existence: ColumnOperator = ([cells], rowCount) => {
  const { validity } = expandCells(cells, rowCount)
  if (validity === undefined) return constantCells('bool', true)
  return boolCells(validity.slice(0, rowCount), undefined)
}

/** Test, value where it is true, value where it is not. Both values are of one type. */
export const choice: ColumnOperator = ([test, consequent, alternate], rowCount) => {
  if (test.kind === 'constant') return test.value === true ? consequent : alternate
  const chosen = new Uint8Array(rowCount)
  const { values, validity } = test
  for (let row = 0; row < rowCount; row++) {
    chosen[row] = validity === undefined || validity[row] !== 0 ? (values[row] as number) : 0
  }
  return mixed(chosen, expandCells(consequent, rowCount), expandCells(alternate, rowCount))
}

function mixed(chosen: Uint8Array, yes: ValueCells, no: ValueCells): Cells {
  const rowCount = chosen.length
  const a = yes.values as Float64Array
  const b = no.values as Float64Array
  const values = new (a.constructor as Float64ArrayConstructor)(rowCount)
  for (let row = 0; row < rowCount; row++) values[row] = chosen[row] === 0 ? b[row] : a[row]
  const validity = mixedValidity(chosen, yes.validity, no.validity)
  const cells = { kind: 'values', type: yes.type, values, validity }
  if (yes.type !== 'string' || no.type !== 'string') return cells as unknown as ValueCells
  const shift = yes.dictionary.length
  for (let row = 0; row < rowCount; row++) if (chosen[row] === 0) values[row] += shift
  return { ...cells, dictionary: [...yes.dictionary, ...no.dictionary] } as unknown as ValueCells
}

function mixedValidity(chosen: Uint8Array, yes: Validity, no: Validity): Validity {
  if (yes === undefined && no === undefined) return undefined
  return Uint8Array.from(chosen, (isYes, row) => {
    const validity = isYes === 0 ? no : yes
    return validity === undefined ? 1 : validity[row]
  })
}

/** The rows with true. */
export function trueRows(cells: Cells, rowCount: number): Uint32Array {
  const { values, validity } = expandCells(cells, rowCount)
  const rows = new Uint32Array(rowCount)
  let count = 0
  for (let row = 0; row < rowCount; row++) {
    if (values[row] !== 0 && (validity === undefined || validity[row] !== 0)) rows[count++] = row
  }
  return rows.subarray(0, count)
}
