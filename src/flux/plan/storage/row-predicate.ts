// What a predicate over rows says that a store can be asked: comparisons of one column with a value
// that is known before anything runs, put together by and, or and not. Read off the syntax tree of a
// row function and what it captured. What cannot be told in this way is left to the function itself.

import type { Comparison } from '../../../column/predicate.js'
import type {
  BinaryOperator,
  CallExpression,
  Expression,
  FunctionExpression,
} from '../../syntax/ast.js'
import { parseTime } from '../../value/time.js'
import {
  DefinedFunction,
  FluxFunction,
  FluxRecord,
  type FluxValue,
  Regexp,
  Time,
  Uint,
} from '../../value/value.js'

export type Known = string | number | bigint | boolean

export type RowPredicate =
  | { readonly kind: 'always' }
  | {
      readonly kind: 'compare'
      readonly column: string
      readonly op: Comparison
      readonly value: Known
    }
  /** The column is equal to one of them; a row without it is not, rather than unknown. */
  | { readonly kind: 'among'; readonly column: string; readonly values: readonly string[] }
  | {
      readonly kind: 'match'
      readonly column: string
      readonly regexp: Regexp
      readonly negated: boolean
    }
  | { readonly kind: 'exists'; readonly column: string }
  | { readonly kind: 'and' | 'or'; readonly parts: readonly RowPredicate[] }
  | { readonly kind: 'not'; readonly part: RowPredicate }

export interface ReadPredicate {
  /** Every row that the function accepts fulfils all of these. */
  readonly parts: readonly RowPredicate[]
  /** And the other way round: the function need not be asked any more. */
  readonly isWhole: boolean
}

const nothing: ReadPredicate = { parts: [], isWhole: false }

export function readPredicate(fn: FluxValue): ReadPredicate {
  if (!(fn instanceof DefinedFunction)) return nothing
  const { node } = fn
  if (node.params.length !== 1) return nothing
  const { key } = node.params[0]
  const row = key.type === 'Identifier' ? key.name : key.value
  const body = bodyOf(node)
  if (body === undefined) return nothing
  const reader = new PredicateReader(row, fn)
  const read = conjuncts(body).map((part) => reader.read(part))
  const parts = read.filter((part) => part !== undefined)
  return { parts, isWhole: parts.length === read.length }
}

function bodyOf({ body }: FunctionExpression): Expression | undefined {
  if (body.type !== 'Block') return body
  const [only] = body.body
  return body.body.length === 1 && only.type === 'ReturnStatement' ? only.argument : undefined
}

function conjuncts(expression: Expression): readonly Expression[] {
  const bare = withoutParens(expression)
  if (bare.type !== 'LogicalExpression' || bare.operator !== 'and') return [bare]
  return [...conjuncts(bare.left), ...conjuncts(bare.right)]
}

function withoutParens(expression: Expression): Expression {
  let bare = expression
  while (bare.type === 'ParenExpression') bare = bare.expression
  return bare
}

const comparisons: ReadonlyMap<BinaryOperator, Comparison> = new Map([
  ['==', '='],
  ['!=', '!='],
  ['<', '<'],
  ['<=', '<='],
  ['>', '>'],
  ['>=', '>='],
])

/** What it becomes when the two sides change places. */
const mirrored: ReadonlyMap<Comparison, Comparison> = new Map([
  ['=', '='],
  ['!=', '!='],
  ['<', '>'],
  ['<=', '>='],
  ['>', '<'],
  ['>=', '<='],
])

/** Columns of every row that are no tags and that the store is not asked about. */
const ownColumns: ReadonlySet<string> = new Set(['_time', '_start', '_stop'])

class PredicateReader {
  readonly #row: string
  readonly #fn: DefinedFunction

  constructor(row: string, fn: DefinedFunction) {
    this.#row = row
    this.#fn = fn
  }

  /** undefined: it cannot be told. */
  read(expression: Expression): RowPredicate | undefined {
    const bare = withoutParens(expression)
    switch (bare.type) {
      case 'LogicalExpression':
        return this.#readBoth(bare.operator, bare.left, bare.right)
      case 'UnaryExpression':
        return this.#readUnary(bare.operator, bare.argument)
      case 'BinaryExpression':
        return this.#readBinary(bare.operator, bare.left, bare.right)
      case 'CallExpression':
        return this.#readContains(bare)
      case 'Identifier':
      case 'BooleanLiteral': {
        const value = this.#constant(bare)
        if (value === true) return { kind: 'always' }
        return value === false ? { kind: 'not', part: { kind: 'always' } } : undefined
      }
      default:
        return undefined
    }
  }

  #readBoth(kind: 'and' | 'or', left: Expression, right: Expression): RowPredicate | undefined {
    const a = this.read(left)
    const b = a === undefined ? undefined : this.read(right)
    return a === undefined || b === undefined ? undefined : { kind, parts: [a, b] }
  }

  #readUnary(operator: string, argument: Expression): RowPredicate | undefined {
    if (operator === 'not') {
      const part = this.read(argument)
      return part === undefined ? undefined : { kind: 'not', part }
    }
    const column = operator === 'exists' ? this.#column(argument) : undefined
    if (column === undefined) return undefined
    return ownColumns.has(column) ? { kind: 'always' } : { kind: 'exists', column }
  }

  #readBinary(
    operator: BinaryOperator,
    left: Expression,
    right: Expression,
  ): RowPredicate | undefined {
    if (operator === '=~' || operator === '!~') {
      const column = this.#comparedColumn(left)
      const value = this.#constant(right)
      if (column === undefined || !(value instanceof Regexp)) return undefined
      return { kind: 'match', column, regexp: value, negated: operator === '!~' }
    }
    const op = comparisons.get(operator)
    if (op === undefined) return undefined
    const column = this.#comparedColumn(left)
    if (column !== undefined) return compare(column, op, this.#constant(right))
    const other = this.#comparedColumn(right)
    return other === undefined ? undefined : compare(other, mirrored.get(op)!, this.#constant(left))
  }

  /** `contains(value: r.host, set: ["a", "b"])` of the library. */
  #readContains({ callee, arguments: args }: CallExpression): RowPredicate | undefined {
    const fn = withoutParens(callee)
    if (fn.type !== 'Identifier' || fn.name !== 'contains') return undefined
    const meaning = this.#fn.lookup('contains')
    const [named] = args ?? []
    if (!(meaning instanceof FluxFunction) || meaning instanceof DefinedFunction) return undefined
    if (named?.type !== 'ObjectExpression' || named.properties.length !== 2) return undefined
    let column: string | undefined
    let values: readonly string[] | undefined
    for (const { key, value } of named.properties) {
      const name = key.type === 'Identifier' ? key.name : key.value
      const given = value ?? (key.type === 'Identifier' ? key : undefined)
      if (given === undefined) return undefined
      if (name === 'value') column = this.#comparedColumn(given)
      else if (name === 'set') values = strings(this.#constant(given))
    }
    if (column === undefined || values === undefined || column === '_value') return undefined
    return { kind: 'among', column, values }
  }

  /** `r.host` or `r["host"]`. */
  #column(expression: Expression): string | undefined {
    const bare = withoutParens(expression)
    if (bare.type !== 'MemberExpression') return undefined
    const object = withoutParens(bare.object)
    if (object.type !== 'Identifier' || object.name !== this.#row) return undefined
    return bare.property.type === 'Identifier' ? bare.property.name : bare.property.value
  }

  #comparedColumn(expression: Expression): string | undefined {
    const column = this.#column(expression)
    return column === undefined || ownColumns.has(column) ? undefined : column
  }

  /** The value of an expression that does not look at the row; undefined: not known here. */
  #constant(expression: Expression): FluxValue | undefined {
    const bare = withoutParens(expression)
    switch (bare.type) {
      case 'StringLiteral':
      case 'FloatLiteral':
      case 'BooleanLiteral':
        return bare.value
      case 'IntegerLiteral':
        return BigInt(bare.value)
      case 'UnsignedIntegerLiteral':
        return new Uint(BigInt(bare.value))
      case 'RegexpLiteral':
        return new Regexp(bare.value)
      case 'DateTimeLiteral':
        return new Time(parseTime(bare.value))
      case 'UnaryExpression': {
        const value = bare.operator === '-' ? this.#constant(bare.argument) : undefined
        return typeof value === 'number' || typeof value === 'bigint' ? -value : undefined
      }
      case 'Identifier':
        return bare.name === this.#row ? undefined : this.#fn.lookup(bare.name)
      case 'MemberExpression': {
        const object = this.#constant(bare.object)
        if (!(object instanceof FluxRecord)) return undefined
        const { property } = bare
        return object.get(property.type === 'Identifier' ? property.name : property.value)
      }
      case 'ArrayExpression':
        return this.#constants(bare.elements)
      default:
        return undefined
    }
  }

  #constants(elements: readonly Expression[]): FluxValue | undefined {
    const values: FluxValue[] = []
    for (const element of elements) {
      const value = this.#constant(element)
      if (value === undefined) return undefined
      values.push(value)
    }
    return values
  }
}

function compare(
  column: string,
  op: Comparison,
  value: FluxValue | undefined,
): RowPredicate | undefined {
  const known = value instanceof Uint ? value.value : value
  switch (typeof known) {
    case 'number':
    case 'bigint':
      return column === '_value' ? { kind: 'compare', column, op, value: known } : undefined
    case 'boolean':
      if (column !== '_value' || (op !== '=' && op !== '!=')) return undefined
      return { kind: 'compare', column, op, value: known }
    case 'string':
      // A tag is looked up by its value: the index knows no order.
      if (!isNamed(column) && op !== '=' && op !== '!=') return undefined
      return { kind: 'compare', column, op, value: known }
    default:
      return undefined
  }
}

function isNamed(column: string): boolean {
  return column === '_value' || column === '_field' || column === '_measurement'
}

function strings(value: FluxValue | undefined): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined
  return value.every((each) => typeof each === 'string') ? (value as readonly string[]) : undefined
}
