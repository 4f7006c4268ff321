// The values that a request gives along, as statements before the script: `option params = {…}`. Being
// part of the text they are checked as the rest of it is.

import { UserError } from '../../errors.js'
import type {
  Expression,
  ObjectExpression,
  Property,
  SourceLocation,
  Statement,
} from '../syntax/ast.js'

const depthMax = 50
const nowhere: SourceLocation = { start: { line: 0, column: 0 }, end: { line: 0, column: 0 } }

/** Throws UserError for what no Flux value stands for. */
export function paramsStatement(params: ReadonlyMap<string, unknown>): Statement {
  return {
    type: 'OptionStatement',
    location: nowhere,
    assignment: {
      type: 'VariableAssignment',
      location: nowhere,
      id: { type: 'Identifier', location: nowhere, name: 'params' },
      init: recordOf([...params], 'params', 0),
    },
  }
}

function recordOf(
  entries: readonly (readonly [string, unknown])[],
  place: string,
  depth: number,
): ObjectExpression {
  const properties = entries.map(
    ([key, value]): Property => ({
      type: 'Property',
      location: nowhere,
      key: { type: 'StringLiteral', location: nowhere, value: key },
      value: expressionOf(value, `${place}.${key}`, depth + 1),
    }),
  )
  return { type: 'ObjectExpression', location: nowhere, properties }
}

function expressionOf(value: unknown, place: string, depth: number): Expression {
  if (depth > depthMax) throw new UserError('invalid', `${place} is nested too deep`)
  const location = nowhere
  switch (typeof value) {
    case 'string':
      return { type: 'StringLiteral', location, value }
    case 'boolean':
      return { type: 'BooleanLiteral', location, value }
    case 'bigint':
      return integerOf(value)
    case 'number':
      return { type: 'FloatLiteral', location, value }
    default:
      if (Array.isArray(value)) {
        const elements = value.map((part, i) => expressionOf(part, `${place}[${i}]`, depth + 1))
        return { type: 'ArrayExpression', location, elements }
      }
      if (value instanceof Map) return recordOf([...value], place, depth)
      throw new UserError('invalid', `${place} has no value that a script could use`)
  }
}

function integerOf(value: bigint): Expression {
  const location = nowhere
  if (value >= 0n) return { type: 'IntegerLiteral', location, value: value.toString() }
  const argument: Expression = { type: 'IntegerLiteral', location, value: (-value).toString() }
  return { type: 'UnaryExpression', location, operator: '-', argument }
}
