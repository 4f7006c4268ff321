// What wildcards and regular expressions stand for: the fields and tags of the sources, in fields, in calls and
// among the dimensions.

import { compileRegex, type Regex } from '../../column/regex.js'
import { compareUtf8 } from '../../column/series.js'
import type { TimeRange } from '../../column/time.js'
import { UserError } from '../../errors.js'
import { findFunction } from '../functions/functions.js'
import type { Call, DataType, Expression, Field, Reference } from '../syntax/ast.js'
import { printExpression } from '../syntax/printer.js'
import { walkExpression, withArgs } from '../syntax/walk.js'
import { fieldName } from './column-names.js'
import type { CompiledSelect } from './compile.js'
import type { ResolvedSource } from './resolved.js'
import { strongest, typeIfAny } from './types.js'

export function hasWildcard(select: CompiledSelect): boolean {
  return hasFieldWildcard(select) || hasDimensionWildcard(select)
}

function hasFieldWildcard(select: CompiledSelect): boolean {
  return select.fields.some((field) => {
    let found = false
    walkExpression(field.expression, (node) => {
      if (node.kind === 'wildcard' || node.kind === 'regex') found = true
      return !found
    })
    return found
  })
}

function hasDimensionWildcard(select: CompiledSelect): boolean {
  return select.dimensions.some(({ expression }) => isPattern(expression))
}

function isPattern(expression: Expression): boolean {
  return expression.kind === 'wildcard' || expression.kind === 'regex'
}

/**
 * A wildcard stands for the fields that are where the query looks, and for the tags of all series that have points.
 * Undefined: there is none.
 */
export function wildcardRange(select: CompiledSelect): TimeRange | undefined {
  if (!hasWildcard(select)) return undefined
  return { start: select.range.min, stop: select.range.max + 1n }
}

interface Names {
  readonly fields: ReadonlyMap<string, DataType>
  readonly tags: ReadonlySet<string>
}

function namesOf(sources: readonly ResolvedSource[]): Names {
  const fields = new Map<string, DataType>()
  const tags = new Set<string>()
  const add = (name: string, type: DataType | undefined): void => {
    const stronger = strongest(fields.get(name), type)
    if (stronger !== undefined) fields.set(name, stronger)
  }
  for (const source of sources) {
    if (source.kind === 'measurement') {
      const { fields: found, tags: keys } = source.inRange ?? source
      for (const [name, type] of found) add(name, type)
      for (const key of keys) tags.add(key)
    } else {
      for (const field of source.select.fields) add(fieldName(field), typeIfAny(field.expression))
      for (const tag of source.select.dimensions) tags.add(tag)
    }
  }
  return { fields, tags }
}

export function expandWildcards(
  select: CompiledSelect,
  sources: readonly ResolvedSource[],
): CompiledSelect {
  const { fields, tags } = namesOf(sources)
  const groupsByPattern = hasDimensionWildcard(select)
  const references: Reference[] = [...fields].map(([name, type]) => ({
    kind: 'reference',
    name,
    type,
  }))
  // Where nothing else says what becomes of tags, they are columns like fields.
  if (!groupsByPattern && fields.size > 0) {
    const grouped = new Set(
      select.dimensions.map(({ expression }) =>
        expression.kind === 'reference' ? expression.name : '',
      ),
    )
    for (const name of tags) {
      if (!grouped.has(name)) references.push({ kind: 'reference', name, type: 'tag' })
    }
  }
  references.sort((a, b) => compareUtf8(a.name, b.name) || typeOrder(a) - typeOrder(b))
  const sortedTags = [...tags].sort(compareUtf8)
  return {
    ...select,
    fields: hasFieldWildcard(select)
      ? select.fields.flatMap((field) => expandField(field, references))
      : select.fields,
    dimensions: groupsByPattern
      ? select.dimensions.flatMap(({ expression }) =>
          expandDimension(expression, sortedTags).map((each) => ({ expression: each })),
        )
      : select.dimensions,
  }
}

const typesInOrder: readonly (DataType | undefined)[] = [
  undefined,
  'float',
  'integer',
  'string',
  'boolean',
  'time',
  'duration',
  'tag',
  'field',
  'unsigned',
]

function typeOrder(reference: Reference): number {
  return typesInOrder.indexOf(reference.type)
}

function expandDimension(expression: Expression, tags: readonly string[]): Expression[] {
  if (expression.kind === 'wildcard') return tags.map((name) => ({ kind: 'reference', name }))
  if (expression.kind !== 'regex') return [expression]
  const regex = compileRegex(expression.pattern)
  return tags.filter((name) => regex.test(name)).map((name) => ({ kind: 'reference', name }))
}

function expandField(field: Field, references: readonly Reference[]): Field[] {
  const { expression } = field
  switch (expression.kind) {
    case 'wildcard':
      return references
        .filter(
          ({ type }) =>
            expression.only === undefined || (expression.only === 'tag') === (type === 'tag'),
        )
        .map((reference) => ({ expression: reference }))
    case 'regex': {
      const regex = compileRegex(expression.pattern)
      return references.filter(({ name }) => regex.test(name)).map((each) => ({ expression: each }))
    }
    case 'call':
      return expandCall(field, expression, references)
    case 'binary':
      checkNoPattern(expression)
      return [field]
    default:
      return [field]
  }
}

function checkNoPattern(expression: Expression): void {
  let pattern: Expression['kind'] | undefined
  walkExpression(expression, (node) => {
    if (node.kind === 'wildcard' || (node.kind === 'regex' && pattern === undefined))
      pattern = node.kind
    return true
  })
  if (pattern === undefined) return
  const what = pattern === 'wildcard' ? 'wildcard' : 'regex field'
  const text = printExpression(expression)
  throw new UserError('invalid', `unsupported expression with ${what}: ${text}`)
}

function expandCall(field: Field, call: Call, references: readonly Reference[]): Field[] {
  const inner = innermost(call)
  const [arg] = inner.args
  let regex: Regex | undefined
  if (arg === undefined || !isPattern(arg)) return [field]
  if (arg.kind === 'regex') regex = compileRegex(arg.pattern)
  else if (arg.kind === 'wildcard' && arg.only === 'tag') {
    throw new UserError('invalid', `unable to use tag wildcard in ${inner.name}()`)
  }
  const types: readonly (DataType | undefined)[] = findFunction(inner.name)?.takes ?? []
  return references
    .filter(({ name, type }) => types.includes(type) && (regex === undefined || regex.test(name)))
    .map((reference) => ({
      expression: replaceInnermost(call, reference),
      alias: `${fieldName(field)}_${reference.name}`,
    }))
}

function innermost(call: Call): Call {
  const [arg] = call.args
  return arg?.kind === 'call' ? innermost(arg) : call
}

function replaceInnermost(call: Call, reference: Reference): Call {
  const [arg, ...rest] = call.args
  const inner = arg.kind === 'call' ? replaceInnermost(arg, reference) : reference
  return withArgs(call, [inner, ...rest])
}
