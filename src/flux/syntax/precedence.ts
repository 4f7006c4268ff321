// Where the printer must write parentheses. Those of the script are not kept for their own sake: they are
// written where the tree would be another one without them, or where comments hang on them.

import type { BinaryOperator, Expression } from './ast.js'

/** How loosely an expression binds; a smaller level stands inside a larger one without parentheses. */
export const levels = {
  postfix: 0,
  sign: 1,
  pipe: 2,
  power: 3,
  product: 4,
  sum: 5,
  comparison: 6,
  not: 7,
  and: 8,
  or: 9,
  any: 10,
} as const

export function operatorLevel(operator: BinaryOperator): number {
  if (operator === '^') return levels.power
  if (operator === '*' || operator === '/' || operator === '%') return levels.product
  if (operator === '+' || operator === '-') return levels.sum
  return levels.comparison
}

export function levelOf(expression: Expression): number {
  switch (expression.type) {
    case 'ParenExpression':
      return hasParens(expression) ? levels.postfix : levelOf(expression.expression)
    case 'BinaryExpression':
      return operatorLevel(expression.operator)
    case 'LogicalExpression':
      return expression.operator === 'and' ? levels.and : levels.or
    case 'UnaryExpression':
      return expression.operator === '-' || expression.operator === '+' ? levels.sign : levels.not
    case 'PipeExpression':
      return levels.pipe
    case 'ConditionalExpression':
      return levels.any
    default:
      return levels.postfix
  }
}

/** Parentheses with comments are always written. */
export function hasParens(expression: Expression): boolean {
  return (
    expression.type === 'ParenExpression' &&
    ((expression.lparen ?? []).length > 0 || (expression.rparen ?? []).length > 0)
  )
}

export function stripParens(expression: Expression): Expression {
  let inner = expression
  while (inner.type === 'ParenExpression' && !hasParens(inner)) inner = inner.expression
  return inner
}

/**
 * A place for an expression: how loose it may be, and whether something follows it in the same expression. A
 * function takes everything behind it into its body, so it stands bare only at the end.
 */
export interface Place {
  readonly levelMax: number
  readonly isEnd: boolean
}

export const anywhere: Place = { levelMax: levels.any, isEnd: true }

export function needsParens(expression: Expression, place: Place): boolean {
  const inner = stripParens(expression)
  if (levelIn(inner, place) > place.levelMax) return true
  return inner.type === 'FunctionExpression' && !place.isEnd
}

/** Signs could stand inside products without parentheses; Flux's formatter writes `n * (-1)`. */
function levelIn(expression: Expression, place: Place): number {
  const level = levelOf(expression)
  return level === levels.sign && place.levelMax !== levels.sign ? levels.sum : level
}

/** The expression whose first token is the first token of this one, as it is printed. */
export function leftmost(expression: Expression): Expression {
  let inner = stripParens(expression)
  for (let next = leftPart(inner); next !== null; next = leftPart(inner)) {
    if (needsParens(next, { levelMax: leftLevelMax(inner), isEnd: false })) return inner
    inner = stripParens(next)
  }
  return inner
}

function leftPart(expression: Expression): Expression | null {
  switch (expression.type) {
    case 'BinaryExpression':
    case 'LogicalExpression':
      return expression.left
    case 'PipeExpression':
      return expression.argument
    case 'CallExpression':
      return expression.callee
    case 'MemberExpression':
      return expression.object
    case 'IndexExpression':
      return expression.array
    default:
      return null
  }
}

/** All binary operators take from the left, so their left side may be as loose as they are. */
function leftLevelMax(expression: Expression): number {
  return levelOf(expression)
}
