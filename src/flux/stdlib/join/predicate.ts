// The condition of a join, read from the text of its function: columns of the left side compared with
// columns of the right side for equality, joined by `and`. Nothing else can be asked for, in Flux's words.

import type { Expression, MemberExpression } from '../../syntax/ast.js'
import { LocatedError } from '../../value/error.js'
import type { FluxFunction } from '../../value/value.js'
import { DefinedFunction } from '../../value/value.js'

/** Names of columns. */
export interface EqualColumns {
  readonly left: string
  readonly right: string
}

/** Throws FluxError for a condition that is anything else. */
export function equalColumns(fn: FluxFunction): readonly EqualColumns[] {
  if (!(fn instanceof DefinedFunction)) throw unsupported(notOneExpression)
  const { body } = fn.node
  if (body.type !== 'Block') return [...equalities(body)]
  const [statement] = body.body
  if (body.body.length !== 1 || statement.type !== 'ReturnStatement') {
    throw unsupported(notOneExpression)
  }
  return [...equalities(statement.argument)]
}

const notOneExpression =
  'function body should be a single logical expression that compares columns from each table'

function* equalities(expression: Expression): Generator<EqualColumns, void, void> {
  switch (expression.type) {
    case 'ParenExpression':
      return yield* equalities(expression.expression)
    case 'LogicalExpression':
      if (expression.operator !== 'and') {
        throw unsupported(`unsupported operator in join predicate: ${expression.operator}`)
      }
      yield* equalities(expression.left)
      return yield* equalities(expression.right)
    case 'BinaryExpression':
      if (expression.operator !== '==') {
        throw unsupported(`unsupported operator in join predicate: ${expression.operator}`)
      }
      yield columnsOf(expression.left, expression.right)
      return
    case 'MemberExpression':
    case 'Identifier':
      return
    default:
      throw unsupported(`illegal expression type in join predicate: ${expression.type}`)
  }
}

function columnsOf(left: Expression, right: Expression): EqualColumns {
  const first = memberOf(left, 'left')
  const second = memberOf(right, 'right')
  const objects = [objectName(first), objectName(second)]
  if (objects[0] === 'l' && objects[1] === 'r') {
    return { left: columnName(first), right: columnName(second) }
  }
  if (objects[0] === 'r' && objects[1] === 'l') {
    return { left: columnName(second), right: columnName(first) }
  }
  const text =
    'binary expression operands must reference `l` or `r` only, and may not reference the same object'
  throw unsupported(text)
}

function memberOf(expression: Expression, side: string): MemberExpression {
  let at = expression
  while (at.type === 'ParenExpression') at = at.expression
  if (at.type === 'MemberExpression') return at
  throw unsupported(`${side} side of comparison is not a member expression`)
}

function objectName({ object }: MemberExpression): string {
  if (object.type === 'Identifier') return object.name
  throw new LocatedError('invalid member expression')
}

function columnName({ property }: MemberExpression): string {
  return property.type === 'Identifier' ? property.name : property.value
}

/** Flux finds this while it plans, so that no function stands before it. */
function unsupported(text: string): LocatedError {
  const what = 'some expressions are not yet supported in the `on` parameter'
  return new LocatedError(
    `error in building plan while starting program: error in join function - ${what}: ${text}`,
  )
}
