// Whether a comment is the first thing that is printed of a statement: such statements get an empty line
// before them.

import type { Comment, Expression, Statement } from './ast.js'

export function startsWithComment(statement: Statement): boolean {
  switch (statement.type) {
    case 'ExpressionStatement':
      return expressionStarts(statement.expression)
    case 'VariableAssignment':
      return isAny(statement.id.comments)
    case 'MemberAssignment':
      return expressionStarts(statement.member)
    default:
      return isAny(statement.comments)
  }
}

function isAny(comments: readonly Comment[] | undefined): boolean {
  return comments !== undefined && comments.length > 0
}

function expressionStarts(expression: Expression): boolean {
  switch (expression.type) {
    case 'ArrayExpression':
    case 'DictExpression':
      return isAny(expression.lbrack)
    case 'FunctionExpression':
    case 'ParenExpression':
      return isAny(expression.lparen)
    case 'ObjectExpression':
      return isAny(expression.lbrace)
    case 'ConditionalExpression':
      return isAny(expression.tk_if)
    case 'LogicalExpression':
    case 'BinaryExpression':
      return expressionStarts(expression.left)
    case 'MemberExpression':
      return expressionStarts(expression.object)
    case 'IndexExpression':
      return expressionStarts(expression.array)
    case 'PipeExpression':
      return expressionStarts(expression.argument)
    case 'CallExpression':
      return expressionStarts(expression.callee)
    default:
      return isAny(expression.comments)
  }
}
