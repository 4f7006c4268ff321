// What the tests of this folder share: trees without places, which are equal if they mean the same, and
// trees as text with all their parentheses.

import { assert } from '../../src/errors.js'
import type { Expression } from '../../src/flux/syntax/ast.js'
import { parseFlux } from '../../src/flux/syntax/parser.js'

/** The tree without places; parentheses that carry no comments are left out. */
export function shape(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shape)
  if (typeof value !== 'object' || value === null) return value
  const node = value as { type?: string; lparen?: unknown; rparen?: unknown; expression?: unknown }
  const isPlainParen = node.lparen === undefined && node.rparen === undefined
  if (node.type === 'ParenExpression' && isPlainParen) return shape(node.expression)
  const entries = Object.entries(value).filter(([name]) => name !== 'location')
  return Object.fromEntries(entries.map(([name, part]) => [name, shape(part)]))
}

/** The expression of a script that is nothing else. */
export function onlyExpression(text: string): Expression {
  const { body } = parseFlux(text)
  const statement = body[0]
  assert(body.length === 1 && statement.type === 'ExpressionStatement', `one expression: ${text}`)
  return statement.expression
}

/** Operators with a pair of parentheses each; everything else as it was written. */
export function bracketed(expression: Expression): string {
  switch (expression.type) {
    case 'BinaryExpression':
    case 'LogicalExpression': {
      const { left, operator, right } = expression
      return `(${bracketed(left)} ${operator} ${bracketed(right)})`
    }
    case 'PipeExpression':
      return `(${bracketed(expression.argument)} |> ${bracketed(expression.call)})`
    case 'UnaryExpression': {
      const { operator, argument } = expression
      const space = operator === '-' || operator === '+' ? '' : ' '
      return `(${operator}${space}${bracketed(argument)})`
    }
    default:
      return expression.location.source ?? ''
  }
}
