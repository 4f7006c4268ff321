// Functions become one by the names of their parameters: what is found may leave optional parameters
// out, must have the required ones and nothing that is not known. A pipe parameter with a name is a
// required one of that name; without a name, as in a call behind `|>`, it takes the other's name.

import { byName, type FunctionType, type ParameterTerm, PIPE, type Type } from './terms.js'
import type { Unifier } from './unifier.js'

export function unifyFunctions(
  unifier: Unifier,
  expected: FunctionType,
  found: FunctionType,
): void {
  const [required, given] = withPipes(unifier, expected, found)
  const argumentOf = lookup(given, found.optional)
  failUnknown(unifier, [...required, ...expected.optional], given, argumentOf)
  for (const parameter of required) {
    const argument = argumentOf(parameter.name)
    if (argument !== undefined) unifyArgument(unifier, parameter, argument.type, argument.at)
    else unifier.fail({ kind: 'missing-argument', name: parameter.name })
  }
  for (const parameter of expected.optional) {
    const argument = argumentOf(parameter.name)
    if (argument !== undefined) unifyArgument(unifier, parameter, argument.type, argument.at)
    else if (parameter.otherwise !== undefined)
      unifyArgument(unifier, parameter, parameter.otherwise, undefined)
  }
  unifyResults(unifier, expected.result, found.result)
}

type Parameters = readonly ParameterTerm[]

/** The required parameters of both with those of the pipe, where these have found a name. */
function withPipes(
  unifier: Unifier,
  expected: FunctionType,
  found: FunctionType,
): readonly [Parameters, Parameters] {
  const a = expected.pipe
  const b = found.pipe
  if (a !== undefined && b !== undefined) {
    if (a.name !== PIPE && b.name !== PIPE && a.name !== b.name) {
      unifier.failAt(b.at, { kind: 'other-pipe', expected: a.name, found: b.name })
      return [expected.required, found.required]
    }
    const piped = { ...b, name: a.name }
    return [inserted(expected.required, a), inserted(found.required, piped)]
  }
  if (a !== undefined) {
    if (a.name !== PIPE) return [inserted(expected.required, a), found.required]
    unifier.fail({ kind: 'missing-pipe' })
  } else if (b !== undefined) {
    if (b.name !== PIPE) return [expected.required, inserted(found.required, b)]
    unifier.failAt(b.at, { kind: 'missing-pipe' })
  }
  return [expected.required, found.required]
}

function inserted(parameters: Parameters, parameter: ParameterTerm): Parameters {
  const others = parameters.filter(({ name }) => name !== parameter.name)
  return [...others, parameter].sort(byName)
}

function failUnknown(
  unifier: Unifier,
  expected: Parameters,
  given: Parameters,
  argumentOf: ParameterLookup,
): void {
  const parameterOf = lookup(expected, [])
  let names: readonly string[] | undefined
  for (const { name, at } of given) {
    if (parameterOf(name) !== undefined) continue
    // Those that are not given yet: one of them may have been meant.
    names ??= expected.map((parameter) => parameter.name).filter((open) => !argumentOf(open))
    unifier.failAt(at, { kind: 'extra-argument', name, expected: names })
  }
}

type ParameterLookup = (name: string) => ParameterTerm | undefined

/** Above this a map is faster than looking at each. */
const SEARCHED_MAX = 16

function lookup(first: Parameters, second: Parameters): ParameterLookup {
  if (first.length + second.length <= SEARCHED_MAX) {
    return (name) => named(first, name) ?? named(second, name)
  }
  const terms = new Map(second.map((parameter) => [parameter.name, parameter]))
  for (const parameter of first) terms.set(parameter.name, parameter)
  return (name) => terms.get(name)
}

function named(parameters: Parameters, name: string): ParameterTerm | undefined {
  for (const parameter of parameters) if (parameter.name === name) return parameter
  return undefined
}

function unifyArgument(
  unifier: Unifier,
  { name, type }: ParameterTerm,
  argument: Type,
  at: ParameterTerm['at'],
): void {
  const context = { kind: 'argument', name, outer: unifier.context } as const
  unifier.within(context, at, () => unifier.unify(type, argument))
}

function unifyResults(unifier: Unifier, expected: Type, found: Type): void {
  const context = { kind: 'return', expected, found, outer: unifier.context } as const
  unifier.within(context, undefined, () => unifier.unify(expected, found))
}
