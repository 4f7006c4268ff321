// What the text of a row function tells before any row is seen: the record that it makes, and the type
// of a property for which all rows have null. Where the text does not tell, nothing is said.

import type { CellType } from '../../query/table.js'
import type { Expression, ObjectExpression, Property, Statement } from '../syntax/ast.js'
import type { FluxFunction } from '../value/value.js'
import { DefinedFunction } from '../value/value.js'
import { cellTypeOf } from './row-record.js'

/** The type of a column of a parameter's record. */
export type ColumnType = (parameter: string, column: string) => CellType | undefined

export interface RowExpression {
  /** The record expression that is the function's whole body. */
  readonly record: ObjectExpression
  /** It is `{r with …}`, and `r` is the row. */
  readonly extendsRow: boolean
  readonly fn: DefinedFunction
}

/** undefined: the function is of the library, or its body is something else than a record expression. */
export function rowExpressionOf(fn: FluxFunction): RowExpression | undefined {
  if (!(fn instanceof DefinedFunction)) return undefined
  const { body } = fn.node
  const statements = body.type === 'Block' ? body.body : []
  const result = body.type === 'Block' ? returned(statements) : body
  const record = result === undefined ? undefined : unwrapped(result)
  if (record?.type !== 'ObjectExpression') return undefined
  const extendsRow = record.with?.source.name === 'r' && !statements.some(definesRow)
  return { record, extendsRow, fn }
}

function returned(statements: readonly Statement[]): Expression | undefined {
  const last = statements[statements.length - 1]
  return last?.type === 'ReturnStatement' ? last.argument : undefined
}

function definesRow(statement: Statement): boolean {
  return statement.type === 'VariableAssignment' && statement.id.name === 'r'
}

function unwrapped(expression: Expression): Expression {
  let at = expression
  while (at.type === 'ParenExpression') at = at.expression
  return at
}

export function propertyName({ key }: Property): string {
  return key.type === 'Identifier' ? key.name : key.value
}

/** The type of cells that a property of the record has, as far as its text tells. */
export function propertyType(
  { record, fn }: RowExpression,
  name: string,
  columnType: ColumnType,
): CellType | undefined {
  for (const property of record.properties) {
    if (propertyName(property) !== name) continue
    return property.value === null ? undefined : typeOf(property.value, fn, columnType)
  }
  return record.with === undefined ? undefined : columnType(record.with.source.name, name)
}

const comparisons: ReadonlySet<string> = new Set(['==', '!=', '<', '<=', '>', '>=', '=~', '!~'])
const conversions: ReadonlyMap<string, CellType> = new Map([
  ['bool', 'bool'],
  ['int', 'int'],
  ['uint', 'uint'],
  ['float', 'float'],
  ['string', 'string'],
  ['display', 'string'],
  ['time', 'time'],
])

function typeOf(
  expression: Expression,
  fn: DefinedFunction,
  columnType: ColumnType,
): CellType | undefined {
  const inner = (part: Expression): CellType | undefined => typeOf(part, fn, columnType)
  switch (expression.type) {
    case 'ParenExpression':
      return inner(expression.expression)
    case 'MemberExpression': {
      const { object, property } = expression
      const column = property.type === 'Identifier' ? property.name : property.value
      return object.type === 'Identifier' ? columnType(object.name, column) : undefined
    }
    case 'BinaryExpression':
      if (comparisons.has(expression.operator)) return 'bool'
      return inner(expression.left) ?? inner(expression.right)
    case 'LogicalExpression':
      return 'bool'
    case 'UnaryExpression':
      return expression.operator === '-' || expression.operator === '+'
        ? inner(expression.argument)
        : 'bool'
    case 'ConditionalExpression':
      return inner(expression.consequent) ?? inner(expression.alternate)
    case 'CallExpression':
      return callType(expression, inner)
    case 'Identifier':
      return valueType(fn, expression.name)
    default:
      return literalType(expression)
  }
}

/** Conversions, and `debug.null(type: "…")`, the one way to write a null. */
function callType(
  call: Extract<Expression, { type: 'CallExpression' }>,
  inner: (part: Expression) => CellType | undefined,
): CellType | undefined {
  const { callee } = call
  if (callee.type === 'Identifier') return conversions.get(callee.name)
  const [args] = call.arguments ?? []
  if (callee.type !== 'MemberExpression' || args?.type !== 'ObjectExpression') return undefined
  if (callee.property.type !== 'Identifier' || callee.property.name !== 'null') return undefined
  for (const { key, value } of args.properties) {
    if (key.type !== 'Identifier' || key.name !== 'type' || value?.type !== 'StringLiteral')
      continue
    return conversions.get(value.value) ?? inner(value)
  }
  return undefined
}

function valueType(fn: DefinedFunction, name: string): CellType | undefined {
  const value = fn.lookup(name)
  return value === undefined || value === null ? undefined : cellTypeOf(value)
}

function literalType(expression: Expression): CellType | undefined {
  switch (expression.type) {
    case 'StringLiteral':
    case 'StringExpression':
      return 'string'
    case 'BooleanLiteral':
      return 'bool'
    case 'FloatLiteral':
      return 'float'
    case 'IntegerLiteral':
      return 'int'
    case 'UnsignedIntegerLiteral':
      return 'uint'
    case 'DateTimeLiteral':
      return 'time'
    default:
      return undefined
  }
}
