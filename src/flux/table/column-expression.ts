// Expressions of row functions worked out column by column: arithmetic, comparisons, conditions and
// constants over the columns of a table, without a value or an object per row (a million rows of
// `r._value * 2.0 + 1.0` take 30 ms instead of 500). Only what cannot fail in any row is read in this
// way, and gives what the function called row by row would; for everything else the answer is
// undefined, and the function is called.

import type { Cells, CellType, Chunk, TableColumn } from '../../query/table.js'
import type { FluxContext } from '../context/context.js'
import type { BinaryOperator, Expression } from '../syntax/ast.js'
import type { FluxFunction } from '../value/value.js'
import { DefinedFunction, FluxRecord, type FluxValue } from '../value/value.js'
import { constantCells } from './cells.js'
import {
  type ColumnOperator,
  type Comparison,
  choice,
  compareFloats,
  compareInts,
  compareTexts,
  existence,
  floatArithmetic,
  intArithmetic,
  isIntLike,
  logical,
  negation,
  onceIfConstant,
} from './column-operators.js'
import { cellOf, cellTypeOf } from './row-record.js'
import { columnIndex } from './table.js'

export interface ColumnExpression {
  readonly type: CellType
  /** The places of the columns that it looks at. */
  readonly reads: readonly number[]
  cells(chunk: Chunk): Cells
}

/** The name under which `planner.disablePhysicalRules` turns it off. */
const ruleName = 'VectorizeRowFunctionRule'

export async function areColumnsAllowed(context: FluxContext): Promise<boolean> {
  const names = await context.option('planner', 'disablePhysicalRules')
  return !(Array.isArray(names) && names.includes(ruleName))
}

/** The function's body, where it is one expression of `r` and nothing else is a parameter. */
export function rowBody(fn: FluxFunction): Expression | undefined {
  if (!(fn instanceof DefinedFunction) || fn.node.params.length !== 1) return undefined
  const { body } = fn.node
  if (body.type !== 'Block') return body
  const [only] = body.body
  return body.body.length === 1 && only.type === 'ReturnStatement' ? only.argument : undefined
}

/** An expression in the body of `fn`, a function of `r`, over tables with these columns. */
export function columnExpression(
  expression: Expression,
  fn: FluxFunction,
  columns: readonly TableColumn[],
): ColumnExpression | undefined {
  return fn instanceof DefinedFunction ? new Reader(fn, columns).read(expression) : undefined
}

type Read = ColumnExpression | undefined

class Reader {
  readonly #fn: DefinedFunction
  readonly #columns: readonly TableColumn[]

  constructor(fn: DefinedFunction, columns: readonly TableColumn[]) {
    this.#fn = fn
    this.#columns = columns
  }

  read(expression: Expression): Read {
    switch (expression.type) {
      case 'ParenExpression':
        return this.read(expression.expression)
      case 'MemberExpression':
      case 'Identifier':
      case 'FloatLiteral':
      case 'StringLiteral':
      case 'BooleanLiteral':
      case 'IntegerLiteral':
        return this.#column(expression) ?? constant(this.#constant(expression))
      case 'BinaryExpression':
        return both(expression.operator, this.read(expression.left), this.read(expression.right))
      case 'LogicalExpression': {
        const parts = [this.read(expression.left), this.read(expression.right)]
        return areAll('bool', parts)
          ? applied('bool', logical(expression.operator), parts)
          : undefined
      }
      case 'UnaryExpression':
        return this.#unary(expression.operator, expression.argument)
      case 'ConditionalExpression':
        return this.#conditional(
          this.read(expression.test),
          this.read(expression.consequent),
          this.read(expression.alternate),
        )
      default:
        return undefined
    }
  }

  #unary(operator: string, argument: Expression): Read {
    const part = this.read(argument)
    if (part === undefined) return undefined
    switch (operator) {
      case 'not':
        return part.type === 'bool' ? applied('bool', negation, [part]) : undefined
      case 'exists':
        return applied('bool', existence, [part])
      case '-':
        // Less than zero, and not zero less it: zero keeps its sign.
        if (part.type === 'float') return both('*', part, constant(-1))
        return part.type === 'int' ? both('-', constant(0n), part) : undefined
      default:
        return undefined
    }
  }

  #conditional(test: Read, consequent: Read, alternate: Read): Read {
    if (test?.type !== 'bool' || consequent === undefined || alternate === undefined) {
      return undefined
    }
    if (consequent.type !== alternate.type) return undefined
    const parts = [test, consequent, alternate]
    return applied(consequent.type, choice, parts, false)
  }

  /** `r.name`, where there is such a column. */
  #column(expression: Expression): Read {
    if (expression.type !== 'MemberExpression') return undefined
    const { object, property } = expression
    if (object.type !== 'Identifier' || object.name !== 'r') return undefined
    const name = property.type === 'Identifier' ? property.name : property.value
    const place = columnIndex(this.#columns, name)
    if (place < 0) return undefined
    const { type } = this.#columns[place]
    return { type, reads: [place], cells: ({ columns }) => columns[place] }
  }

  #constant(expression: Expression): FluxValue | undefined {
    switch (expression.type) {
      case 'FloatLiteral':
      case 'StringLiteral':
      case 'BooleanLiteral':
        return expression.value
      case 'IntegerLiteral':
        return BigInt(expression.value)
      case 'Identifier':
        return expression.name === 'r' ? undefined : this.#fn.lookup(expression.name)
      case 'MemberExpression': {
        const record = this.#constant(expression.object)
        const { property } = expression
        const name = property.type === 'Identifier' ? property.name : property.value
        return record instanceof FluxRecord ? record.get(name) : undefined
      }
      default:
        return undefined
    }
  }
}

/** undefined: there is no such value, or none that a column holds. */
function constant(value: FluxValue | undefined): Read {
  if (value === undefined || value === null) return undefined
  const type = cellTypeOf(value)
  if (type === undefined) return undefined
  const cells = constantCells(type, cellOf(value))
  return { type, reads: [], cells: () => cells }
}

function areAll(type: CellType, parts: readonly Read[]): parts is readonly ColumnExpression[] {
  return parts.every((part) => part?.type === type)
}

function applied(
  type: CellType,
  operator: ColumnOperator,
  parts: readonly ColumnExpression[],
  isFolded = true,
): ColumnExpression {
  const apply = isFolded ? onceIfConstant(operator) : operator
  return {
    type,
    reads: parts.flatMap(({ reads }) => reads),
    cells: (chunk) =>
      apply(
        parts.map((part) => part.cells(chunk)),
        chunk.rowCount,
      ),
  }
}

function both(operator: BinaryOperator, left: Read, right: Read): Read {
  if (left === undefined || left.type !== right?.type) return undefined
  switch (operator) {
    case '+':
    case '-':
    case '*':
      if (left.type === 'int') return applied('int', intArithmetic(operator), [left, right])
      return left.type === 'float'
        ? applied('float', floatArithmetic(operator), [left, right])
        : undefined
    case '/':
    case '%':
      return left.type === 'float'
        ? applied('float', floatArithmetic(operator), [left, right])
        : undefined
    case '==':
    case '!=':
      if (left.type === 'string') return applied('bool', compareTexts(operator), [left, right])
      return compared(operator, left, right)
    case '<':
    case '<=':
    case '>':
    case '>=':
      return compared(operator, left, right)
    default:
      return undefined
  }
}

function compared(operator: Comparison, left: ColumnExpression, right: ColumnExpression): Read {
  if (left.type === 'float') return applied('bool', compareFloats(operator), [left, right])
  return isIntLike(left.type) ? applied('bool', compareInts(operator), [left, right]) : undefined
}
