// Where names lead: sources to buckets and measurements, references to fields and tags with their types. Sources are
// looked up for every run of a query, with the right to read them.

import type { FieldType } from '../../column/column.js'
import { compileRegex } from '../../column/regex.js'
import { allTime, type TimeRange } from '../../column/time.js'
import { UserError } from '../../errors.js'
import type { MaybePromise } from '../../platform/pull-stream.js'
import { collectPages } from '../../store/schema-pages.js'
import type { BucketId, FieldSchema, MeasurementSchema, Store } from '../../store/store.js'
import { tagArguments } from '../functions/functions.js'
import type { Databases } from '../scope/scope.js'
import type { DataType, Expression, MeasurementSource } from '../syntax/ast.js'
import { mapExpression } from '../syntax/walk.js'
import { fieldName } from './column-names.js'
import type { CompiledSelect } from './compile.js'
import type {
  MeasurementNames,
  ResolvedMeasurement,
  ResolvedSelect,
  ResolvedSource,
} from './resolved.js'
import { strongest, typeIfAny } from './types.js'
import { expandWildcards, hasWildcard, wildcardRange } from './wildcards.js'

/** What resolving must know besides the statement. */
export interface ResolveContext {
  readonly store: Store
  readonly databases: Databases
  /** Of the request. */
  readonly database: string | undefined
  readonly policy: string | undefined
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
  const known = measurementIn(before, bucket, name)
  const measurement = measurementNow(store, bucket, name, known)
  return range === undefined ? measurement : withNamesInRange(store, measurement, range)
}

function measurementNow(
  store: Store,
  bucket: BucketId,
  name: string,
  known: ResolvedMeasurement | undefined,
): MaybePromise<ResolvedMeasurement> {
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
    const isMeasurement = source.kind === 'measurement'
    if (isMeasurement && source.name === name && source.bucket === bucket) return source
  }
  return undefined
}

/** Where wildcards stand for what they stood for before, it is the same object. */
async function withNamesInRange(
  store: Store,
  found: MaybePromise<ResolvedMeasurement>,
  range: TimeRange,
): Promise<ResolvedMeasurement> {
  const measurement = await found
  const of = { bucket: measurement.bucket, measurement: measurement.name }
  const fields = await collectPages(store.fields({ ...of, range }))
  const tags = await collectPages(store.names({ ...of, range: allTime, kind: 'tag-keys' }))
  const inRange = { fields: typesOf(fields), tags: new Set(tags) }
  const isAsBefore = measurement.inRange !== undefined && isSame(measurement.inRange, inRange)
  return isAsBefore ? measurement : { ...measurement, inRange }
}

function isSame(a: MeasurementNames, b: MeasurementNames): boolean {
  if (a.fields.size !== b.fields.size || a.tags.size !== b.tags.size) return false
  for (const [name, type] of a.fields) if (b.fields.get(name) !== type) return false
  for (const tag of a.tags) if (!b.tags.has(tag)) return false
  return true
}

function measurementWith(
  bucket: BucketId,
  name: string,
  { fields, tagKeys, version }: MeasurementSchema,
  known: ResolvedMeasurement | undefined,
): ResolvedMeasurement {
  if (known?.version === version) return known
  const names = { fields: typesOf(fields), tags: new Set(tagKeys) }
  return { kind: 'measurement', bucket, name, ...names, version }
}

function typesOf(fields: readonly FieldSchema[]): Map<string, FieldType> {
  return new Map(fields.map((field) => [field.name, field.type]))
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
