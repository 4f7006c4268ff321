// Arithmetic of whole columns of 64-bit integers, which wrap around: computed as floats as long as these are exact, and
// as BigInt where they would not be. Where something is divided by zero the column is given up.

import type { ValueCells } from '../../query/table.js'
import { expandCells } from './cells.js'
import { NotByColumns } from './column-conversions.js'
import { type Arithmetic, bothValid, type ColumnOperator } from './column-operators.js'
import { setWords, wordsOf } from './int64.js'

const wordSize = 4294967296

type Int64Values = BigInt64Array | BigUint64Array

export function integerArithmetic(type: 'int' | 'uint', op: Arithmetic): ColumnOperator {
  return ([left, right], rowCount) => {
    const { values: a, validity } = expandCells(left, rowCount)
    const { values: b, validity: other } = expandCells(right, rowCount)
    const valid = bothValid(validity, other, rowCount)
    const values = type === 'int' ? new BigInt64Array(rowCount) : new BigUint64Array(rowCount)
    compute(op, a as Int64Values, b as Int64Values, values, valid)
    return { kind: 'values', type, values, validity: valid } as ValueCells
  }
}

function compute(
  op: Arithmetic,
  a: Int64Values,
  b: Int64Values,
  to: Int64Values,
  validity: Uint8Array | undefined,
): void {
  const { low: aLow, high: aHigh } = wordsOf(a)
  const { low: bLow, high: bHigh } = wordsOf(b)
  const words = wordsOf(to)
  const isSigned = to instanceof BigInt64Array
  const divides = op === '/' || op === '%'
  for (let row = 0; row < to.length; row++) {
    const x = aHigh[2 * row + 1] * wordSize + aLow[2 * row]
    const y = bHigh[2 * row + 1] * wordSize + bLow[2 * row]
    if (divides && y === 0) {
      if (validity !== undefined && validity[row] === 0) continue
      throw new NotByColumns()
    }
    const z = result(op, x, y)
    const isExact = Number.isSafeInteger(x) && Number.isSafeInteger(y) && Number.isSafeInteger(z)
    // Zero times something negative is a zero with a sign, which an integer has not.
    if (isExact && (isSigned || z >= 0)) setWords(words, row, z + 0)
    else to[row] = wide(op, a[row], b[row])
  }
}

function result(op: Arithmetic, x: number, y: number): number {
  switch (op) {
    case '+':
      return x + y
    case '-':
      return x - y
    case '*':
      return x * y
    case '/':
      // Rounded quotients of large numbers may reach the next integer; without the rest none does.
      return (x - (x % y)) / y
    case '%':
      return x % y
  }
}

/** The array cuts it to 64 bits. */
function wide(op: Arithmetic, a: bigint, b: bigint): bigint {
  switch (op) {
    case '+':
      return a + b
    case '-':
      return a - b
    case '*':
      return a * b
    case '/':
      return a / b
    case '%':
      return a % b
  }
}
