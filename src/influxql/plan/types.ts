// Types of expressions, as InfluxDB finds them: what is not known stays undefined and takes the type
// of its partner; an integer and an unsigned do not mix without a cast. References have been given
// their types before.

import type { FieldType } from '../../column/column.js'
import { UserError } from '../../errors.js'
import { findFunction } from '../functions/functions.js'
import type { Binary, BinaryOperator, Call, DataType, Expression } from '../syntax/ast.js'
import { printExpression } from '../syntax/printer.js'
import { isLiteral, leftSpine } from './reduce.js'

/** The type that values of a reference come in: a tag's are strings. */
export function columnType(type: DataType | undefined): FieldType | undefined {
  switch (type) {
    case 'tag':
      return 'string'
    case 'float':
    case 'integer':
    case 'unsigned':
    case 'string':
    case 'boolean':
      return type
    default:
      return undefined
  }
}

/** Stronger first: where several sources have a field, the strongest of its types counts. */
const precedence: readonly DataType[] = [
  'float',
  'integer',
  'unsigned',
  'string',
  'boolean',
  'time',
  'duration',
  'tag',
  'field',
]

export function strongest(a: DataType | undefined, b: DataType | undefined): DataType | undefined {
  if (a === undefined || b === undefined) return a ?? b
  return precedence.indexOf(a) <= precedence.indexOf(b) ? a : b
}

/** Throws UserError where the types do not go together. */
export function typeOf(expression: Expression): DataType | undefined {
  switch (expression.kind) {
    case 'reference':
      return expression.type
    case 'call':
      return callType(expression)
    case 'binary':
      return binaryType(expression)
    case 'paren':
      return typeOf(expression.inner)
    case 'number':
      return 'float'
    case 'integer':
    case 'unsigned':
    case 'string':
    case 'boolean':
      return expression.kind
    default:
      return undefined
  }
}

/** The type, or undefined also where types do not go together. */
export function typeIfAny(expression: Expression): DataType | undefined {
  try {
    return typeOf(expression)
  } catch {
    return undefined
  }
}

function callType(call: Call): DataType | undefined {
  const [first, second] = call.args.map(typeOf)
  const spec = findFunction(call.name)
  if (spec !== undefined && spec.kind !== 'math' && spec.gives !== 'same') return spec.gives
  // InfluxDB takes the type of the first argument before it asks what the function gives.
  if (first !== undefined || spec?.kind !== 'math') return first
  if (!spec.ignoresSecond && (columnType(second) === 'string' || second === 'boolean')) {
    const text = `invalid argument type for the second argument in ${call.name}(): ${columnType(second)}`
    throw new UserError('invalid', text)
  }
  return spec.keepsIntegers ? undefined : 'float'
}

/** From the left end of a chain of operators, which may be thousands long. */
function binaryType(binary: Binary): DataType | undefined {
  const chain = leftSpine(binary)
  let type = typeOf(chain[chain.length - 1].left)
  for (let i = chain.length - 1; i >= 0; i--) type = joinedType(chain[i], type)
  return type
}

function joinedType(binary: Binary, a: DataType | undefined): DataType | undefined {
  const b = typeOf(binary.right)
  checkSigns(binary, a, b)
  if (a === undefined || b === undefined) return a ?? b
  const type = resultType(binary.op, a, b)
  if (type === undefined) throw typeError(binary, `incompatible types: ${a} and ${b}`)
  return type
}

function checkSigns(binary: Binary, a: DataType | undefined, b: DataType | undefined): void {
  const [unsigned, integer] =
    a === 'unsigned' && b === 'integer'
      ? [binary.left, binary.right]
      : a === 'integer' && b === 'unsigned'
        ? [binary.right, binary.left]
        : [undefined, undefined]
  if (unsigned === undefined || integer === undefined) return
  if (isLiteral(unsigned)) {
    throw typeError(binary, `cannot use ${binary.op} with an integer and unsigned literal`)
  }
  if (!isLiteral(integer)) {
    const what = `cannot use ${binary.op} between an integer and unsigned`
    throw typeError(binary, `${what}, an explicit cast is required`)
  }
}

function typeError(binary: Binary, text: string): UserError {
  return new UserError('invalid', `type error: ${printExpression(binary)}: ${text}`)
}

const comparisons = new Set<BinaryOperator>(['=', '!=', '<', '<=', '>', '>='])
const bitwise = new Set<BinaryOperator>(['&', '|', '^'])
const numbers = new Set<DataType>(['float', 'integer', 'unsigned'])

function resultType(op: BinaryOperator, a: DataType, b: DataType): DataType | undefined {
  if (comparisons.has(op)) return 'boolean'
  if (a === 'boolean' && (bitwise.has(op) || op === 'AND' || op === 'OR')) return 'boolean'
  if (op === '=~' || op === '!~') return a === 'string' || a === 'tag' ? 'boolean' : undefined
  if (!numbers.has(a) || !numbers.has(b)) return undefined
  const isFloat = a === 'float' || b === 'float'
  if (bitwise.has(op)) return isFloat ? undefined : strongerInteger(a, b)
  if (op === 'AND' || op === 'OR') return undefined
  return isFloat ? 'float' : strongerInteger(a, b)
}

/** An integer literal beside an unsigned becomes unsigned. */
function strongerInteger(a: DataType, b: DataType): DataType {
  return a === 'unsigned' || b === 'unsigned' ? 'unsigned' : 'integer'
}
