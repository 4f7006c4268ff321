// Expressions over columns, with InfluxDB's rules: an integer beside a float becomes one, a quotient of
// integers is a float, but whole in a condition, what is divided by zero is zero, what has no value gives none,
// except that a missing boolean is false. Values decide, not declared types.

import {
  type Column,
  type FieldType,
  isWide,
  type Validity,
  type Value,
  valueAt,
} from '../../column/column.js'
import { compileRegex, type Regex } from '../../column/regex.js'
import { ColumnBuilder } from '../../query/column-builder.js'
import { findFunction } from '../functions/functions.js'
import { evaluateMath } from '../functions/math.js'
import { leftSpine } from '../plan/reduce.js'
import type { Binary, BinaryOperator, Expression } from '../syntax/ast.js'

/** Undefined: no row has a value. */
export type MaybeColumn = Column | undefined

export interface EvaluationScope {
  column(name: string): MaybeColumn
  readonly rowCount: number
  /** Rows of a measurement: a boolean that is missing is not taken for false there. */
  readonly isStored?: boolean | undefined
  readonly isCondition?: boolean
}

export function evaluate(expression: Expression, scope: EvaluationScope): MaybeColumn {
  switch (expression.kind) {
    case 'reference':
      return scope.column(expression.name)
    case 'paren':
      return evaluate(expression.inner, scope)
    case 'binary':
      return evaluateBinary(expression, scope)
    case 'call': {
      const args = expression.args.map((arg) => evaluate(arg, scope))
      const columns = args.filter((arg) => arg !== undefined && isNumeric(arg.type)) as Column[]
      if (columns.length < args.length) return undefined
      const spec = findFunction(expression.name)
      return spec?.kind === 'math' ? evaluateMath(spec, columns, scope.rowCount) : undefined
    }
    case 'integer':
    case 'unsigned':
      return constant(expression.kind, expression.value, scope.rowCount)
    case 'number':
      return constant('float', expression.value, scope.rowCount)
    case 'string':
    case 'boolean':
      return constant(expression.kind, expression.value, scope.rowCount)
    default:
      return undefined
  }
}

/** One mark per row: 1 where the condition holds. */
export function evaluateMarks(
  condition: Expression,
  scope: Omit<EvaluationScope, 'isCondition'>,
): Uint8Array {
  const { rowCount, isStored } = scope
  const column = evaluate(condition, {
    column: (name) => scope.column(name),
    rowCount,
    isStored,
    isCondition: true,
  })
  const marks = new Uint8Array(rowCount)
  if (column?.type !== 'boolean') return marks
  for (let row = 0; row < rowCount; row++) {
    marks[row] = isMissing(column, row) ? 0 : column.values[row]
  }
  return marks
}

function isMissing(column: Column, row: number): boolean {
  return column.validity !== undefined && column.validity[row] === 0
}

function isNumeric(type: FieldType): boolean {
  return type === 'float' || type === 'integer' || type === 'unsigned'
}

function constant(type: FieldType, value: Value, rowCount: number): Column {
  if (type === 'float') {
    const values = new Float64Array(rowCount).fill(value as number)
    return { type, values, validity: undefined }
  }
  if (type === 'boolean') {
    return { type, values: new Uint8Array(rowCount).fill(value ? 1 : 0), validity: undefined }
  }
  const builder = new ColumnBuilder(type, rowCount)
  for (let row = 0; row < rowCount; row++) builder.push(value)
  return builder.finish()
}

/** Chains of operators lean to the left and may be thousands long: their left side is a loop. */
function evaluateBinary(binary: Binary, scope: EvaluationScope): MaybeColumn {
  const chain = leftSpine(binary)
  let left = evaluate(chain[chain.length - 1].left, scope)
  for (let i = chain.length - 1; i >= 0; i--) left = evaluateStep(chain[i], left, scope)
  return left
}

function evaluateStep(
  { op, right }: Binary,
  left: MaybeColumn,
  scope: EvaluationScope,
): MaybeColumn {
  const { rowCount } = scope
  if (op === '=~' || op === '!~') {
    if (right.kind !== 'regex') return constant('boolean', false, rowCount)
    return matches(left, compileRegex(right.pattern), op === '!~', rowCount)
  }
  const other = evaluate(right, scope)
  const isBoolean = left?.type === 'boolean' || other?.type === 'boolean'
  if (isBoolean) return combineBooleans(op, left, other, scope)
  return combine(op, left, other, scope)
}

function matches(left: MaybeColumn, regex: Regex, negated: boolean, rowCount: number): MaybeColumn {
  if (left?.type !== 'string') return undefined
  const values = new Uint8Array(rowCount)
  for (let row = 0; row < rowCount; row++) {
    const text = valueAt(left, row)
    if (text !== null) values[row] = Number(regex.test(text as string) !== negated)
  }
  return { type: 'boolean', values, validity: left.validity }
}

function combine(
  op: BinaryOperator,
  left: MaybeColumn,
  right: MaybeColumn,
  scope: EvaluationScope,
): MaybeColumn {
  if (left !== undefined && right !== undefined && isNumeric(left.type) && isNumeric(right.type)) {
    return combineNumbers(op, left, right, scope)
  }
  const { rowCount } = scope
  if (!isComparison(op)) return undefined
  if (left?.type !== 'string' || right?.type !== 'string' || (op !== '=' && op !== '!=')) {
    return constant('boolean', false, rowCount)
  }
  const values = new Uint8Array(rowCount)
  for (let row = 0; row < rowCount; row++) {
    const a = valueAt(left, row)
    const b = valueAt(right, row)
    values[row] = Number(a !== null && b !== null && (a === b) === (op === '='))
  }
  return { type: 'boolean', values, validity: undefined }
}

function isComparison(op: BinaryOperator): boolean {
  return op === '=' || op === '!=' || op === '<' || op === '<=' || op === '>' || op === '>='
}

function combineBooleans(
  op: BinaryOperator,
  left: MaybeColumn,
  right: MaybeColumn,
  { rowCount, isStored }: EvaluationScope,
): MaybeColumn {
  const areBoth =
    (left === undefined || left.type === 'boolean') &&
    (right === undefined || right.type === 'boolean')
  const decide = booleanTables[op]
  if (decide === undefined)
    return isComparison(op) ? constant('boolean', false, rowCount) : undefined
  if (!areBoth) return constant('boolean', false, rowCount)
  const values = new Uint8Array(rowCount)
  // What a part of a condition cannot tell does not hold; that leaves the other part.
  const takesMissing = isStored !== true || op === 'AND' || op === 'OR'
  for (let row = 0; row < rowCount; row++) {
    const isKnown = takesMissing || (hasValue(left, row) && hasValue(right, row))
    if (isKnown) values[row] = decide(booleanAt(left, row), booleanAt(right, row))
  }
  return { type: 'boolean', values, validity: bothMissing(left, right, rowCount) }
}

/** Where neither side is there, there is nothing; one side alone meets false. */
function bothMissing(left: MaybeColumn, right: MaybeColumn, rowCount: number): Validity {
  const a = left === undefined ? new Uint8Array(rowCount) : left.validity
  const b = right === undefined ? new Uint8Array(rowCount) : right.validity
  if (a === undefined || b === undefined) return undefined
  const validity = new Uint8Array(rowCount)
  for (let row = 0; row < rowCount; row++) validity[row] = a[row] | b[row]
  return validity
}

function booleanAt(column: MaybeColumn, row: number): number {
  return hasValue(column, row) ? (column!.values[row] as number) : 0
}

function hasValue(column: MaybeColumn, row: number): boolean {
  return column !== undefined && !isMissing(column, row)
}

const booleanTables: Partial<Record<BinaryOperator, (a: number, b: number) => number>> = {
  AND: (a, b) => a & b,
  OR: (a, b) => a | b,
  '&': (a, b) => a & b,
  '|': (a, b) => a | b,
  '^': (a, b) => a ^ b,
  '=': (a, b) => Number(a === b),
  '!=': (a, b) => Number(a !== b),
}

function combineNumbers(
  op: BinaryOperator,
  left: Column,
  right: Column,
  { rowCount, isCondition }: EvaluationScope,
): MaybeColumn {
  if (isComparison(op)) return compareNumbers(op, left, right, rowCount)
  const isFloat = left.type === 'float' || right.type === 'float'
  const isUnsigned = left.type === 'unsigned' || right.type === 'unsigned'
  if (isFloat || (op === '/' && !isUnsigned && isCondition !== true)) {
    const kernel = floatKernels[op]
    if (kernel === undefined) return undefined
    const values = new Float64Array(rowCount)
    const a = asFloats(left, rowCount)
    const b = asFloats(right, rowCount)
    kernel(a, b, values, rowCount)
    return { type: 'float', values, validity: joinValidity(left, right, rowCount) }
  }
  return combineIntegers(op, left, right, isUnsigned ? 'unsigned' : 'integer', rowCount)
}

export function joinValidity(left: Column, right: Column, rowCount: number): Validity {
  if (left.validity === undefined || right.validity === undefined) {
    return left.validity ?? right.validity
  }
  const validity = new Uint8Array(rowCount)
  for (let row = 0; row < rowCount; row++) validity[row] = left.validity[row] & right.validity[row]
  return validity
}

function asFloats(column: Column, rowCount: number): Float64Array {
  if (!isWide(column)) return column.values as Float64Array
  const floats = new Float64Array(rowCount)
  for (let row = 0; row < rowCount; row++) floats[row] = Number(column.values[row])
  return floats
}

type FloatKernel = (a: Float64Array, b: Float64Array, out: Float64Array, count: number) => void

const floatKernels: Partial<Record<BinaryOperator, FloatKernel>> = {
  '+': (a, b, out, count) => {
    for (let i = 0; i < count; i++) out[i] = a[i] + b[i]
  },
  '-': (a, b, out, count) => {
    for (let i = 0; i < count; i++) out[i] = a[i] - b[i]
  },
  '*': (a, b, out, count) => {
    for (let i = 0; i < count; i++) out[i] = a[i] * b[i]
  },
  '/': (a, b, out, count) => {
    for (let i = 0; i < count; i++) out[i] = b[i] === 0 ? 0 : a[i] / b[i]
  },
  '%': (a, b, out, count) => {
    for (let i = 0; i < count; i++) out[i] = a[i] % b[i]
  },
}

function combineIntegers(
  op: BinaryOperator,
  left: Column,
  right: Column,
  type: 'integer' | 'unsigned',
  rowCount: number,
): MaybeColumn {
  const kernel = floatKernels[op]
  // Sums, differences and products of safe integers are exact while they stay safe.
  if (kernel !== undefined && op !== '/' && op !== '%' && !isWide(left) && !isWide(right)) {
    const values = new Float64Array(rowCount)
    kernel(left.values as Float64Array, right.values as Float64Array, values, rowCount)
    if (areSafe(values, type === 'unsigned')) {
      return { type, values, validity: joinValidity(left, right, rowCount) }
    }
  }
  const builder = new ColumnBuilder(type, rowCount)
  for (let row = 0; row < rowCount; row++) {
    const a = valueAt(left, row)
    const b = valueAt(right, row)
    if (a === null || b === null) builder.pushNull()
    else {
      const exact = integerResult(op, a as bigint, b as bigint)
      if (exact === undefined) return undefined
      builder.pushBigint(type === 'unsigned' ? BigInt.asUintN(64, exact) : BigInt.asIntN(64, exact))
    }
  }
  return builder.finish()
}

function areSafe(values: Float64Array, isUnsigned: boolean): boolean {
  for (let i = 0; i < values.length; i++) {
    if (Math.abs(values[i]) > Number.MAX_SAFE_INTEGER || (isUnsigned && values[i] < 0)) return false
  }
  return true
}

function integerResult(op: BinaryOperator, a: bigint, b: bigint): bigint | undefined {
  switch (op) {
    case '+':
      return a + b
    case '-':
      return a - b
    case '*':
      return a * b
    case '/':
      return b === 0n ? 0n : a / b
    case '%':
      return b === 0n ? 0n : a % b
    case '&':
      return a & b
    case '|':
      return a | b
    case '^':
      return a ^ b
    default:
      return undefined
  }
}

function compareNumbers(
  op: BinaryOperator,
  left: Column,
  right: Column,
  rowCount: number,
): MaybeColumn {
  const values = new Uint8Array(rowCount)
  const holds = comparisons[op]!
  const a = left.values as Float64Array
  const b = right.values as Float64Array
  // JavaScript compares numbers with bigints exactly.
  for (let row = 0; row < rowCount; row++) {
    if (!isMissing(left, row) && !isMissing(right, row)) values[row] = Number(holds(a[row], b[row]))
  }
  return { type: 'boolean', values, validity: undefined }
}

const comparisons: Partial<Record<BinaryOperator, (a: number, b: number) => boolean>> = {
  // biome-ignore lint/suspicious/noDoubleEquals: 1 == 1n is what is meant
  '=': (a, b) => a == b,
  // biome-ignore lint/suspicious/noDoubleEquals: as above
  '!=': (a, b) => a != b,
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
}
