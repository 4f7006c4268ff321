// Functions and their bodies. Parameters have one type inside of the body; what a default value is
// does not limit what callers may give: `(x=1) => x` takes anything.

import type { Block, FunctionExpression, Statement } from '../syntax/ast.js'
import { inferExpression, keyName } from './infer-expressions.js'
import { inferAssignment } from './infer-statements.js'
import type { Inference } from './inference.js'
import { copyAbove } from './scheme.js'
import { byName, ERROR, FunctionType, type ParameterTerm, type Type } from './terms.js'

export function inferFunction(inference: Inference, expression: FunctionExpression): Type {
  const { unifier } = inference
  unifier.level++
  const type = inference.withinScope(() => {
    const { required, optional, pipe } = bindParameters(inference, expression)
    const result = inferBody(inference, expression.body)
    return new FunctionType(sorted(required), sorted(optional), pipe, result)
  })
  unifier.level--
  if (type.optional.length > 0) inferDefaults(inference, expression, type)
  inference.functions.set(expression, type)
  return type
}

interface BoundParameters {
  readonly required: Map<string, ParameterTerm>
  readonly optional: Map<string, ParameterTerm>
  readonly pipe: ParameterTerm | undefined
}

function bindParameters(inference: Inference, { params }: FunctionExpression): BoundParameters {
  const required = new Map<string, ParameterTerm>()
  const optional = new Map<string, ParameterTerm>()
  let pipe: ParameterTerm | undefined
  for (const { key, value } of params) {
    if (key.type !== 'Identifier') continue
    const name = keyName(key)
    const term = { name, type: inference.unifier.fresh() }
    inference.bindVariable(name, term.type)
    if (value === null) required.set(name, term)
    else if (value.type === 'PipeLiteral') pipe = term
    else optional.set(name, term)
  }
  return { required, optional, pipe }
}

function sorted(parameters: ReadonlyMap<string, ParameterTerm>): readonly ParameterTerm[] {
  return [...parameters.values()].sort(byName)
}

/** The defaults must fit the function, but as one of its callers would: into a copy of its type. */
function inferDefaults(
  inference: Inference,
  { params, location }: FunctionExpression,
  type: FunctionType,
): void {
  const { unifier } = inference
  const given = new Map<string, ParameterTerm>()
  for (const { key, value } of params) {
    if (key.type !== 'Identifier' || value === null || value.type === 'PipeLiteral') continue
    given.set(key.name, { name: key.name, type: inferExpression(inference, value) })
  }
  const open = (term: ParameterTerm): ParameterTerm => ({ name: term.name, type: unifier.fresh() })
  const found = new FunctionType(
    type.required.map(open),
    sorted(given),
    type.pipe && open(type.pipe),
    unifier.fresh(),
  )
  unifier.equal(copyAbove(type, unifier.level, unifier.budget), found, location)
}

function inferBody(inference: Inference, body: FunctionExpression['body']): Type {
  return body.type === 'Block' ? inferBlock(inference, body) : inferExpression(inference, body)
}

function inferBlock(inference: Inference, block: Block): Type {
  const statements = block.body.filter(isAllowedInBlock)
  const last = statements.pop()
  for (const statement of statements) {
    if (statement.type === 'VariableAssignment') inferAssignment(inference, statement)
    else if (statement.type === 'ExpressionStatement')
      inferExpression(inference, statement.expression)
  }
  return last?.type === 'ReturnStatement' ? inferExpression(inference, last.argument) : ERROR
}

/** What else stands in a block is reported as a mistake of its form, and not looked at here. */
export function isAllowedInBlock({ type }: { type: Statement['type'] }): boolean {
  return (
    type === 'VariableAssignment' || type === 'ExpressionStatement' || type === 'ReturnStatement'
  )
}
