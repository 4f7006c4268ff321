// Where names lead: sources to buckets and measurements, references to fields and tags with their
// types, wildcards and regular expressions to the names they stand for.

import type { FieldType } from '../../column/column.js'
import { compileRegex, type Regex } from '../../column/regex.js'
import { compareUtf8 } from '../../column/series.js'
import { allTime, type TimeRange } from '../../column/time.js'
import { UserError } from '../../errors.js'
import type { MaybePromise } from '../../platform/pull-stream.js'
import { collectPages } from '../../store/schema-pages.js'
import type { BucketId, FieldSchema, MeasurementSchema, Store } from '../../store/store.js'
import { findFunction, tagArguments } from '../functions/functions.js'
import type { Databases } from '../scope/scope.js'
import type {
  Call,
  DataType,
  Expression,
  Field,
  MeasurementSource,
  Reference,
} from '../syntax/ast.js'
import { printExpression } from '../syntax/printer.js'
import { mapExpression, walkExpression, withArgs } from '../syntax/walk.js'
import { fieldName } from './column-names.js'
import type { CompiledSelect } from './compile.js'
import { strongest, typeIfAny } from './types.js'

/** What resolving must know besides the statement. */
export interface ResolveContext {
  readonly store: Store
  readonly databases: Databases
  /** Of the request. */
  readonly database: string | undefined
  readonly policy: string | undefined
}

export interface ResolvedMeasurement {
  readonly kind: 'measurement'
  readonly bucket: BucketId
  readonly name: string
  readonly fields: ReadonlyMap<string, FieldType>
  readonly tags: ReadonlySet<string>
  /** Of its schema; undefined: this is only what has points in some range. */
  readonly version: number | undefined
}

export interface ResolvedSubquery {
  readonly kind: 'subquery'
  readonly select: ResolvedSelect
}

export type ResolvedSource = ResolvedMeasurement | ResolvedSubquery

/** References have types where they lead somewhere; no wildcards are left. */
export interface ResolvedSelect extends Omit<CompiledSelect, 'sources' | 'dimensions'> {
  readonly sources: readonly ResolvedSource[]
  /** Tags to group by, in the order written. */
  readonly dimensions: readonly string[]
}

export async function resolveSelect(
  select: CompiledSelect,
  context: ResolveContext,
): Promise<ResolvedSelect> {
  return resolveNames(select, await resolveSources(select, wildcardRange(select), context))
}

/** What the names of a SELECT mean in its sources. */
export function resolveNames(
  select: CompiledSelect,
  sources: readonly ResolvedSource[],
): ResolvedSelect {
  const typed = {
    ...select,
    fields: select.fields.map(({ expression, alias }) => ({
      expression: withTypes(expression, sources),
      alias,
    })),
    condition: select.condition && withTypes(select.condition, sources),
  }
  const named = hasWildcard(select) ? expandWildcards(typed, sources) : typed
  return {
    ...named,
    sources,
    dimensions: named.dimensions.flatMap(({ expression }) =>
      expression.kind === 'reference' ? [expression.name] : [],
    ),
  }
}

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
 * What a name means does not depend on that: undefined.
 */
export function wildcardRange(select: CompiledSelect): TimeRange | undefined {
  if (!hasWildcard(select)) return undefined
  return { start: select.range.min, stop: select.range.max + 1n }
}

/**
 * A measurement of `before` that has not changed since is the same object. A promise only where something must be
 * waited for, which nearly never happens with one measurement that has a name: sources are looked up for each query.
 */
export function resolveSources(
  select: Pick<CompiledSelect, 'sources'>,
  range: TimeRange | undefined,
  context: ResolveContext,
  before: readonly ResolvedSource[] = [],
): MaybePromise<readonly ResolvedSource[]> {
  const [only] = select.sources
  if (select.sources.length > 1 || only?.kind !== 'measurement') {
    return resolveEach(select, range, context, before)
  }
  return resolveMeasurements(only, range, context, before)
}

async function resolveEach(
  select: Pick<CompiledSelect, 'sources'>,
  range: TimeRange | undefined,
  context: ResolveContext,
  before: readonly ResolvedSource[],
): Promise<ResolvedSource[]> {
  const resolved: ResolvedSource[] = []
  for (const source of select.sources) {
    if (source.kind === 'subquery') {
      resolved.push({ kind: 'subquery', select: await resolveSelect(source.select, context) })
    } else {
      resolved.push(...(await resolveMeasurements(source, range, context, before)))
    }
  }
  return resolved
}

function resolveMeasurements(
  source: MeasurementSource,
  range: TimeRange | undefined,
  context: ResolveContext,
  before: readonly ResolvedSource[],
): MaybePromise<ResolvedMeasurement[]> {
  const database = source.database ?? context.database
  if (database === undefined || database === '') {
    throw new UserError('invalid', 'database name required')
  }
  const policy = source.policy ?? (source.database === undefined ? context.policy : undefined)
  const { store } = context
  const bucket = context.databases.bucket(database, policy, 'read')
  if (bucket instanceof Promise || source.name === undefined) {
    return resolveLater(store, bucket, source, range, before)
  }
  const measurement = resolveMeasurement(store, bucket, source.name, range, before)
  return measurement instanceof Promise ? measurement.then((one) => [one]) : [measurement]
}

async function resolveLater(
  store: Store,
  found: BucketId | Promise<BucketId>,
  source: MeasurementSource,
  range: TimeRange | undefined,
  before: readonly ResolvedSource[],
): Promise<ResolvedMeasurement[]> {
  const bucket = await found
  const names =
    source.name === undefined ? await matchingMeasurements(store, bucket, source) : [source.name]
  const measurements: ResolvedMeasurement[] = []
  for (const name of names) {
    measurements.push(await resolveMeasurement(store, bucket, name, range, before))
  }
  return measurements
}

async function matchingMeasurements(
  store: Store,
  bucket: BucketId,
  source: MeasurementSource,
): Promise<string[]> {
  const regex = compileRegex(source.regex?.pattern ?? '')
  const names = await collectPages(store.names({ kind: 'measurements', bucket }))
  return names.filter((name) => regex.test(name))
}

function resolveMeasurement(
  store: Store,
  bucket: BucketId,
  name: string,
  range: TimeRange | undefined,
  before: readonly ResolvedSource[],
): MaybePromise<ResolvedMeasurement> {
  if (range !== undefined) return resolveInRange(store, bucket, name, range)
  const known = measurementIn(before, bucket, name)
  if (known !== undefined && store.schemaVersion(bucket, name) === known.version) return known
  const schema = store.measurementSchema(bucket, name)
  if (!(schema instanceof Promise)) return measurementWith(bucket, name, schema, known)
  return schema.then((found) => measurementWith(bucket, name, found, known))
}

function measurementIn(
  sources: readonly ResolvedSource[],
  bucket: BucketId,
  name: string,
): ResolvedMeasurement | undefined {
  for (const source of sources) {
    const isHere = source.kind === 'measurement' && source.name === name && source.bucket === bucket
    if (isHere && source.version !== undefined) return source
  }
  return undefined
}

/** Only what has points: for wildcards. */
async function resolveInRange(
  store: Store,
  bucket: BucketId,
  name: string,
  range: TimeRange,
): Promise<ResolvedMeasurement> {
  const of = { bucket, measurement: name }
  const fields = await collectPages(store.fields({ ...of, range }))
  const tags = await collectPages(store.names({ ...of, range: allTime, kind: 'tag-keys' }))
  return measurementOf(bucket, name, fields, tags, undefined)
}

function measurementWith(
  bucket: BucketId,
  name: string,
  { fields, tagKeys, version }: MeasurementSchema,
  known: ResolvedMeasurement | undefined,
): ResolvedMeasurement {
  return known?.version === version ? known : measurementOf(bucket, name, fields, tagKeys, version)
}

function measurementOf(
  bucket: BucketId,
  name: string,
  fields: readonly FieldSchema[],
  tagKeys: readonly string[],
  version: number | undefined,
): ResolvedMeasurement {
  const types = new Map<string, FieldType>()
  for (const field of fields) types.set(field.name, field.type)
  return { kind: 'measurement', bucket, name, fields: types, tags: new Set(tagKeys), version }
}

export function withTypes(expression: Expression, sources: readonly ResolvedSource[]): Expression {
  return mapExpression(expression, (node) => {
    if (node.kind !== 'reference') return node
    if (node.type !== undefined && node.type !== 'field') return node
    const type = referenceType(node.name, sources)
    if (type === undefined || (type === 'tag' && node.type === 'field')) return node
    return { kind: 'reference', name: node.name, type, at: node.at }
  })
}

function referenceType(name: string, sources: readonly ResolvedSource[]): DataType | undefined {
  let type: DataType | undefined
  for (const source of sources) {
    if (source.kind === 'measurement') {
      type = strongest(type, source.fields.get(name) ?? (source.tags.has(name) ? 'tag' : undefined))
    } else {
      const column = columnOf(source.select, name)
      if (column !== undefined) type = strongest(type, typeIfAny(column))
      if (type === undefined && source.select.dimensions.includes(name)) type = 'tag'
    }
  }
  return type
}

/** The expression behind a name that a subquery gives; tags in `top` and `bottom` are names too. */
function columnOf(select: ResolvedSelect, name: string): Expression | undefined {
  for (const field of select.fields) {
    if (fieldName(field) === name) return field.expression
    const tag = tagArguments(field.expression).find(
      (each) => each.kind === 'reference' && each.name === name,
    )
    if (tag !== undefined) return tag
  }
  return undefined
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
      for (const [name, type] of source.fields) add(name, type)
      for (const tag of source.tags) tags.add(tag)
    } else {
      for (const field of source.select.fields) add(fieldName(field), typeIfAny(field.expression))
      for (const tag of source.select.dimensions) tags.add(tag)
    }
  }
  return { fields, tags }
}

function expandWildcards(
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
