// Reads expressions of a statement's tree that can be worked out over columns (`computed-column.ts`), with DuckDB's
// types and meanings. Whatever is not known here has no reading, and the query goes to DuckDB.

import { comparisons, type TreeNode, wholeNumber } from '../statement/tree.js'
import {
  arithmetic,
  type ComputedType,
  choice,
  comparison,
  conjunction,
  constantOf,
  type Expression,
  each,
  inputAt,
  isNull,
} from './computed-column.js'

/** The type of a column that an expression looks at, and its place among all that it does; undefined: it is none. */
export type InputOf = (node: TreeNode) => { type: ComputedType; place: number } | undefined

/** `null`: nothing but a null, whose type the others say. */
type Read = Expression | 'null' | undefined

export function readExpression(node: TreeNode, inputOf: InputOf): Expression | undefined {
  const read = new ExpressionReader(inputOf).read(node)
  return read === 'null' ? undefined : read
}

class ExpressionReader {
  readonly #inputOf: InputOf

  constructor(inputOf: InputOf) {
    this.#inputOf = inputOf
  }

  read(node: TreeNode): Read {
    const input = this.#inputOf(node)
    if (input !== undefined) return inputAt(input.type, input.place)
    switch (node.class) {
      case 'CONSTANT':
        return constant(node)
      case 'CAST':
        return this.#cast(node)
      case 'COMPARISON':
        return this.#comparison(node)
      case 'CONJUNCTION':
        return this.#conjunction(node)
      case 'BETWEEN':
        return this.#between(node)
      case 'OPERATOR':
        return this.#operator(node)
      case 'FUNCTION':
        return this.#call(node)
      case 'CASE':
        return this.#case(node as CaseNode)
    }
    return undefined
  }

  #value(node: TreeNode | undefined): Expression | undefined {
    const read = node && this.read(node)
    return read === 'null' ? undefined : read
  }

  #cast({ child, cast_type, try_cast }: TreeNode): Read {
    const part = this.#value(child)
    if (part === undefined || part.type === 'boolean' || try_cast === true) return undefined
    if (cast_type?.id === 'DOUBLE') return asFloat(part)
    return cast_type?.id === 'BIGINT' && part.type === 'integer' ? part : undefined
  }

  #comparison({ type, left, right }: TreeNode): Read {
    const op = comparisons[type!]
    const [a, b] = [this.#value(left), this.#value(right)]
    return op && a && b && comparison(op, a, b)
  }

  #conjunction({ type, children }: TreeNode): Read {
    const parts = children!.map((child) => this.#value(child))
    if (!parts.every((part) => part?.type === 'boolean')) return undefined
    const kind = type === 'CONJUNCTION_AND' ? 'and' : 'or'
    return (parts as Expression[]).reduce((left, right) => conjunction(kind, left, right))
  }

  #between({ input, lower, upper }: TreeNode): Read {
    const [value, from, to] = [this.#value(input), this.#value(lower), this.#value(upper)]
    if (value === undefined || from === undefined || to === undefined) return undefined
    const [above, below] = [comparison('>=', value, from), comparison('<=', value, to)]
    return above && below && conjunction('and', above, below)
  }

  #operator({ type, children }: TreeNode): Read {
    const [first] = children!
    switch (type) {
      case 'OPERATOR_NOT': {
        const part = this.#value(first)
        return part?.type === 'boolean' ? each('boolean', part, (value) => 1 - value) : undefined
      }
      case 'OPERATOR_IS_NULL':
      case 'OPERATOR_IS_NOT_NULL': {
        const part = this.#value(first)
        return part && isNull(part, type === 'OPERATOR_IS_NOT_NULL')
      }
      case 'OPERATOR_COALESCE': {
        const parts = unified(children!.map((child) => this.read(child)))
        if (parts === undefined) return undefined
        const last = parts.pop()!
        return choice(
          parts.map((part) => ({ when: isNull(part, true), value: part })),
          last,
        )
      }
    }
    return undefined
  }

  #call({
    function_name: name = '',
    children = [],
    is_operator,
    distinct,
    filter,
  }: TreeNode): Read {
    if (distinct === true || filter != null) return undefined
    const part = this.#value(children[0])
    if (part === undefined || part.type === 'boolean') return undefined
    if (is_operator === true && children.length === 2) {
      const right = this.#value(children[1])
      return right && arithmetic(name, part, right)
    }
    if (children.length === 1) return called(name, part)
    const digits = wholeNumber(children[1])
    if (name !== 'round' || children.length !== 2 || part.type !== 'float') return undefined
    return digits === undefined || digits < 0n || digits > 15n
      ? undefined
      : each('float', part, (value) => roundedTo(value, 10 ** Number(digits)))
  }

  #case({ case_checks, else_expr }: CaseNode): Read {
    const whens = case_checks.map(({ when_expr }) => this.#value(when_expr))
    if (!whens.every((when) => when?.type === 'boolean')) return undefined
    const thens = case_checks.map(({ then_expr }) => this.read(then_expr))
    const values = unified([...thens, else_expr == null ? 'null' : this.read(else_expr)])
    if (values === undefined) return undefined
    const otherwise = values.pop()!
    return choice(
      values.map((value, i) => ({ when: whens[i]!, value })),
      otherwise,
    )
  }
}

export interface CaseNode extends TreeNode {
  readonly case_checks: { readonly when_expr: TreeNode; readonly then_expr: TreeNode }[]
  readonly else_expr: TreeNode | null
}

function constant(node: TreeNode): Read {
  const { value } = node
  if (value?.is_null === true) return 'null'
  const whole = wholeNumber(node)
  if (whole !== undefined) {
    const number = Number(whole)
    return Number.isSafeInteger(number) ? constantOf('integer', number) : undefined
  }
  if (value?.type.id !== 'DECIMAL') return undefined
  const { scale } = value.type.type_info as { scale: number }
  return constantOf('float', Number(`${value.value}e-${scale}`))
}

function asFloat(part: Expression): Expression {
  return { type: 'float', evaluate: (inputs, rowCount) => part.evaluate(inputs, rowCount) }
}

/** Of one type: integers beside floats are floats, a null is of the type of the others. */
function unified(parts: readonly Read[]): Expression[] | undefined {
  const types = new Set(parts.map((part) => (typeof part === 'object' ? part.type : part)))
  if (types.has(undefined)) return undefined
  types.delete('null')
  if (types.size === 0 || (types.has('boolean') && types.size > 1)) return undefined
  const [type] = (types.size > 1 ? ['float'] : [...types]) as [ComputedType]
  return parts.map((part) => {
    if (part === 'null') return constantOf(type, undefined)
    const own = part as Expression
    return own.type === type ? own : asFloat(own)
  })
}

function called(name: string, part: Expression): Read {
  switch (name) {
    case 'abs':
      return each(part.type, part, Math.abs)
    case '-':
      return each(
        part.type,
        part,
        part.type === 'integer' ? (value) => 0 - value : (value) => -value,
      )
    case 'floor':
      return part.type === 'float' ? each('float', part, Math.floor) : undefined
    case 'ceil':
      return part.type === 'float' ? each('float', part, Math.ceil) : undefined
    case 'round':
      return part.type === 'float' ? each('float', part, rounded) : undefined
  }
  return undefined
}

/** Halves away from zero. */
function rounded(value: number): number {
  const whole = Math.trunc(value)
  if (Math.abs(value - whole) < 0.5) return whole
  return whole + Math.sign(value)
}

function roundedTo(value: number, scale: number): number {
  const result = rounded(value * scale) / scale
  return Number.isFinite(result) ? result : value
}
