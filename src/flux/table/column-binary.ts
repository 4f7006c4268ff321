// Which operator over columns stands for a binary operator of the language between two types of cells, and what it
// gives: integers beside floats are compared as floats, arithmetic is between equal types. What is not here no column
// does.

import type { CellType } from '../../query/table.js'
import type { BinaryOperator } from '../syntax/ast.js'
import { floatPower } from '../value/operators.js'
import { integerArithmetic } from './column-integers.js'
import {
  type ColumnOperator,
  type Comparison,
  compareFloats,
  compareInts,
  floatArithmetic,
  floatFunction,
} from './column-operators.js'
import { compareTexts, joinTexts } from './column-texts.js'
import { isNumberType } from './numbers.js'

export interface BinaryColumns {
  /** What it gives. */
  readonly type: CellType
  /** What it takes: other numbers are converted. */
  readonly operands: readonly [CellType, CellType]
  readonly apply: ColumnOperator
  readonly canFail: boolean
}

export function binaryOperator(
  operator: BinaryOperator,
  left: CellType,
  right: CellType,
): BinaryColumns | undefined {
  switch (operator) {
    case '+':
      if (left === 'string' && right === 'string') {
        return { type: 'string', operands: [left, right], apply: joinTexts, canFail: true }
      }
      return arithmetic(operator, left, right)
    case '-':
    case '*':
    case '/':
    case '%':
      return arithmetic(operator, left, right)
    case '^':
      if (left !== right || !isNumberType(left)) return undefined
      return floats('float', floatFunction(floatPower))
    case '==':
    case '!=':
    case '<':
    case '<=':
    case '>':
    case '>=':
      return comparison(operator, left, right)
    default:
      return undefined
  }
}

function floats(type: CellType, apply: ColumnOperator): BinaryColumns {
  return { type, operands: ['float', 'float'], apply, canFail: false }
}

function arithmetic(
  operator: '+' | '-' | '*' | '/' | '%',
  left: CellType,
  right: CellType,
): BinaryColumns | undefined {
  if (left !== right || !isNumberType(left)) return undefined
  if (left === 'float') return floats('float', floatArithmetic(operator))
  const canFail = operator === '/' || operator === '%'
  return {
    type: left,
    operands: [left, left],
    apply: integerArithmetic(left, operator),
    canFail,
  }
}

function comparison(
  operator: Comparison,
  left: CellType,
  right: CellType,
): BinaryColumns | undefined {
  const as = (apply: ColumnOperator): BinaryColumns => {
    return { type: 'bool', operands: [left, right], apply, canFail: false }
  }
  if (isNumberType(left) && isNumberType(right)) {
    return left === 'float' || right === 'float'
      ? floats('bool', compareFloats(operator))
      : as(compareInts(operator))
  }
  if (left !== right) return undefined
  if (left === 'string') return as(compareTexts(operator))
  if (left === 'time') return as(compareInts(operator))
  return operator === '==' || operator === '!=' ? as(compareFloats(operator)) : undefined
}
