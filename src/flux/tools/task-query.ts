// A query that somebody wrote, made ready to run in a task: it looks back as far as the task wants, has no end of its
// own, and its result gets a name instead of going to the caller.
//
//   another value for every property `start` and `every`, nothing but `start` in `range`,
//   `createEmpty: false` in `aggregateWindow` (or that step gone), a last `yield` gone

import type { QueryChange, TaskQuery } from '../../catalog/base/script-tools.js'
import { UserError } from '../../errors.js'
import type {
  CallExpression,
  Expression,
  File,
  ImportDeclaration,
  ObjectExpression,
  Property,
  Statement,
} from '../syntax/ast.js'
import { parseFlux } from '../syntax/parser.js'
import { printExpression, printFile } from '../syntax/printer.js'
import { errorText, syntaxErrors } from '../syntax/syntax-errors.js'
import { type AnyNode, nodesOf, rewritten, withoutComments } from './tree.js'

export function taskQuery(source: string, change: QueryChange): TaskQuery {
  const file = parseFlux(source)
  const errors = syntaxErrors(file)
  if (errors.length > 0) throw new UserError('invalid', errors.map(errorText).join('\n\n'))
  const { imports, body } = rewritten(withoutComments(file), replacements(change.durationText))
  const results = body.filter((statement) => !isDefinition(statement))
  const last = body.at(-1)
  if (results.length !== 1 || last?.type !== 'ExpressionStatement') {
    const found = `received ${results.length}`
    throw new UserError('invalid', `expected a query that ends in its one result, ${found}`)
  }
  const { package: _package, imports: _imports, eof: _eof, ...rest } = file
  const prelude = { ...rest, package: null, imports: [], body: body.slice(0, -1) }
  return {
    imports: imports.map(importText),
    prelude: printFile(prelude),
    result: printExpression(stepsKept(last.expression, change.windows)),
    fields: fieldsOf(file),
  }
}

function isDefinition({ type }: Statement): boolean {
  return type === 'VariableAssignment' || type === 'OptionStatement'
}

function importText({ as: alias, path }: ImportDeclaration): string {
  return `import ${alias === null ? '' : `${alias.name} `}${path.location.source}`
}

function replacements(durationText: string): (node: AnyNode) => AnyNode | undefined {
  const start = propertyOf(`start: -${durationText}`)
  const every = propertyOf(`every: ${durationText}`)
  const createEmpty = propertyOf('createEmpty: false')
  const replace = (node: AnyNode): AnyNode | undefined => {
    if (node.type === 'Property' && node.value !== null) {
      if (keyOf(node) === 'start') return { ...node, value: start.value }
      if (keyOf(node) === 'every') return { ...node, value: every.value }
    }
    if (node.type !== 'CallExpression' || node.callee.type !== 'Identifier') return undefined
    const keys = argumentsOf(node).map(keyOf)
    if (node.callee.name === 'range')
      return withArguments(node, keys.includes('start') ? [start] : [])
    if (node.callee.name !== 'aggregateWindow' || keys.includes('createEmpty')) return undefined
    const kept = argumentsOf(node).map((one) => rewritten(one, replace))
    return withArguments(node, [...kept, createEmpty])
  }
  return replace
}

function propertyOf(text: string): Property {
  const [statement] = parseFlux(`f(${text})`).body
  const call = statement.type === 'ExpressionStatement' ? statement.expression : undefined
  const [property] = call?.type === 'CallExpression' ? argumentsOf(call) : []
  return property
}

function keyOf({ key }: Property): string {
  return key.type === 'Identifier' ? key.name : key.value
}

function argumentsOf({ arguments: list = [] }: CallExpression): readonly Property[] {
  return list.flatMap((one) => (one.type === 'ObjectExpression' ? one.properties : []))
}

function withArguments(call: CallExpression, properties: readonly Property[]): CallExpression {
  const { location } = call
  const record: ObjectExpression = { type: 'ObjectExpression', location, properties }
  const { type, callee } = call
  return { type, location, callee, arguments: properties.length === 0 ? [] : [record] }
}

/** Of the steps behind the first one, without those that a task does not want. */
function stepsKept(expression: Expression, windows: QueryChange['windows']): Expression {
  const isYield = (name: string) => name === 'yield'
  const result = withoutSteps(expression, isYield, 1)
  if (windows === 'kept') return result
  return withoutSteps(result, (name) => name === 'aggregateWindow', Number.POSITIVE_INFINITY)
}

function withoutSteps(
  expression: Expression,
  isUnwanted: (name: string) => boolean,
  lookedAtMax: number,
): Expression {
  if (expression.type !== 'PipeExpression' || lookedAtMax === 0) return expression
  const argument = withoutSteps(expression.argument, isUnwanted, lookedAtMax - 1)
  const { callee } = expression.call
  if (callee.type === 'Identifier' && isUnwanted(callee.name)) return argument
  return { ...expression, argument }
}

const comparisons = new Set(['==', '!=', '<', '<=', '>', '>=', '=~', '!~'])

/** `r._field == "f"` or `r["_field"] == "f"`, with any comparison. */
function fieldsOf(file: File): string[] {
  const fields: string[] = []
  for (const node of nodesOf(file)) {
    if (node.type !== 'BinaryExpression' || !comparisons.has(node.operator)) continue
    const { left, right } = node
    if (left.type !== 'MemberExpression' || right.type !== 'StringLiteral') continue
    const { property } = left
    const name = property.type === 'Identifier' ? property.name : property.value
    if (name === '_field') fields.push(right.value)
  }
  return fields
}
