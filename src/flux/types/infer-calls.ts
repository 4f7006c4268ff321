// Calls: the arguments by their names, and what comes through the pipe, make a function type that the
// called one must fit. Where the called one is known, each argument is told with its own place.

import type { CallExpression, Expression, Property, SourceLocation } from '../syntax/ast.js'
import { inferExpression, inferProperty, keyName, placeOf } from './infer-expressions.js'
import type { Inference } from './inference.js'
import { byName, FunctionType, type ParameterTerm, PIPE, resolve, type Type } from './terms.js'

export function inferCall(
  inference: Inference,
  call: CallExpression,
  piped: Expression | undefined,
): Type {
  const { unifier } = inference
  const result = unifier.fresh()
  const callee = inferExpression(inference, call.callee)
  const given = inferArguments(inference, call)
  const pipedType = piped && inferExpression(inference, piped)
  const pipe = pipedType && { name: PIPE, type: pipedType, at: call.location }
  const expected = resolve(callee)
  const found =
    expected.kind === 'function'
      ? new FunctionType(given, [], pipe, result)
      : new FunctionType(given.map(withoutPlace), [], pipe && withoutPlace(pipe), result)
  unifier.equal(expected, found, call.location)
  return result
}

/** Sorted by name; of two arguments of one name the last counts. */
function inferArguments(inference: Inference, call: CallExpression): ParameterTerm[] {
  const properties = argumentProperties(call)
  const terms = new Map<string, ParameterTerm>()
  for (const property of properties) {
    const type: Type = inferProperty(inference, property)
    const name = keyName(property.key)
    terms.set(name, { name, type, at: propertyPlace(property) })
  }
  return [...terms.values()].sort(byName)
}

export function argumentProperties(call: CallExpression): readonly Property[] {
  const argument = call.arguments?.[0]
  return argument?.type === 'ObjectExpression' ? argument.properties : []
}

function propertyPlace({ key, value }: Property): SourceLocation {
  return value === null ? key.location : placeOf(value)
}

function withoutPlace({ name, type }: ParameterTerm): ParameterTerm {
  return { name, type }
}
