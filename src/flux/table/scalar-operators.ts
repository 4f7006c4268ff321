// Operators over single numbers, for what has to be done row after row: floats, truth values (1 and 0), and integers as
// floats. An integer that a float does not hold exactly, or a division by zero, ends it: the function itself goes on.

import type { BinaryOperator } from '../syntax/ast.js'
import { floatPower } from '../value/operators.js'
import { NotByColumns } from './column-conversions.js'

export type ScalarType = 'float' | 'int' | 'bool'

/** The number of a row. */
export type Scalar = (row: number) => number

export interface TypedScalar {
  readonly type: ScalarType
  readonly at: Scalar
}

/** undefined: these two types do not go with the operator, or not here. */
export function scalarBinary(
  operator: BinaryOperator,
  { type, at: a }: TypedScalar,
  { type: other, at: b }: TypedScalar,
): TypedScalar | undefined {
  const areNumbers = type !== 'bool' && other !== 'bool'
  if (operator === '==' || operator === '!=') {
    if (!areNumbers && type !== other) return undefined
    const ifEqual = operator === '==' ? 1 : 0
    return { type: 'bool', at: (row) => (a(row) === b(row) ? ifEqual : 1 - ifEqual) }
  }
  if (!areNumbers) return undefined
  const comparison = compared(operator, a, b)
  if (comparison !== undefined) return { type: 'bool', at: comparison }
  if (type !== other) return undefined
  if (operator === '^') return { type: 'float', at: (row) => floatPower(a(row), b(row)) }
  const at = type === 'float' ? floatArithmetic(operator, a, b) : intArithmetic(operator, a, b)
  return at && { type, at }
}

function compared(operator: BinaryOperator, a: Scalar, b: Scalar): Scalar | undefined {
  switch (operator) {
    case '<':
      return (row) => (a(row) < b(row) ? 1 : 0)
    case '<=':
      return (row) => (a(row) <= b(row) ? 1 : 0)
    case '>':
      return (row) => (a(row) > b(row) ? 1 : 0)
    case '>=':
      return (row) => (a(row) >= b(row) ? 1 : 0)
    default:
      return undefined
  }
}

function floatArithmetic(operator: BinaryOperator, a: Scalar, b: Scalar): Scalar | undefined {
  switch (operator) {
    case '+':
      return (row) => a(row) + b(row)
    case '-':
      return (row) => a(row) - b(row)
    case '*':
      return (row) => a(row) * b(row)
    case '/':
      return (row) => a(row) / b(row)
    case '%':
      return (row) => a(row) % b(row)
    default:
      return undefined
  }
}

function intArithmetic(operator: BinaryOperator, a: Scalar, b: Scalar): Scalar | undefined {
  switch (operator) {
    case '+':
      return (row) => exact(a(row) + b(row))
    case '-':
      return (row) => exact(a(row) - b(row))
    case '*':
      return (row) => exact(a(row) * b(row))
    case '/':
      return (row) => {
        const x = a(row)
        const y = divisor(b(row))
        return exact((x - (x % y)) / y)
      }
    case '%':
      return (row) => exact(a(row) % divisor(b(row)))
    default:
      return undefined
  }
}

/** Without the sign that a zero may have here and an integer has not. */
function exact(value: number): number {
  if (!Number.isSafeInteger(value)) throw new NotByColumns()
  return value + 0
}

function divisor(value: number): number {
  if (value === 0) throw new NotByColumns()
  return value
}

export function scalarLogical(
  operator: 'and' | 'or',
  { type, at: a }: TypedScalar,
  { type: other, at: b }: TypedScalar,
): TypedScalar | undefined {
  if (type !== 'bool' || other !== 'bool') return undefined
  return operator === 'and'
    ? { type, at: (row) => (a(row) !== 0 ? b(row) : 0) }
    : { type, at: (row) => (a(row) !== 0 ? 1 : b(row)) }
}

/** `float(v:)` and `int(v:)` of the library. */
export function scalarConversion(
  operation: string | undefined,
  { type, at }: TypedScalar,
): TypedScalar | undefined {
  if (operation === 'universe.float') return { type: 'float', at }
  if (operation !== 'universe.int') return undefined
  if (type !== 'float') return { type: 'int', at }
  return { type: 'int', at: (row) => exact(Math.trunc(at(row))) }
}
