// What a query wants of a bucket, and how that becomes reads of the store: which measurements and
// fields can have matching points at all, and which fields are read side by side.

import type { FieldType } from '../../../column/column.js'
import { isTagPredicate, type Predicate } from '../../../column/predicate.js'
import type { TimeRange } from '../../../column/time.js'
import { notingReads } from '../../../store/noted-reads.js'
import { collectPages } from '../../../store/schema-pages.js'
import type { AggregateFunction, BucketId, FieldSchema, ReadRequest } from '../../../store/store.js'
import type { FluxContext } from '../../context/context.js'
import type { FieldsRequest, MeasurementRead, RequestedField } from './field-series.js'
import type { RowPredicate } from './row-predicate.js'
import { allOf, storePredicate, type Verdict } from './store-predicate.js'

export interface StorageRead {
  readonly bucket: BucketId
  readonly range: TimeRange
  /** All must hold. */
  readonly predicates: readonly RowPredicate[]
  /** Newest first within a table. */
  readonly descending?: boolean
  /** At most so many rows of each table. */
  readonly rowsMax?: number | undefined
}

/** Aggregates that the store computes per series and field; without `everyNs` the range is the window. */
export interface StorageAggregate {
  /** Each field comes once for each, in this order. */
  readonly functions: readonly AggregateFunction[]
  readonly everyNs?: bigint | undefined
  readonly offsetNs?: bigint | undefined
  /** The points that the function chooses come with their own times. */
  readonly pointTimes?: boolean
}

/** A field that can have matching points, and what is asked of them. */
export interface SelectedField extends FieldSchema {
  readonly predicate: Predicate | undefined
}

/** By measurement and name. */
export async function selectFields(
  { bucket, predicates }: Pick<StorageRead, 'bucket' | 'predicates'>,
  { scope }: Pick<FluxContext, 'scope'>,
): Promise<readonly SelectedField[]> {
  const selected: SelectedField[] = []
  for (const measurement of pinnedMeasurements(predicates) ?? [undefined]) {
    const fields =
      measurement === undefined
        ? await collectPages(scope.store.fields({ bucket }))
        : (await scope.store.measurementSchema(bucket, measurement)).fields
    for (const field of fields) {
      const subject = { measurement: field.measurement, field: field.name, type: field.type }
      const verdict = storePredicate(predicates, subject)
      if (verdict === false) continue
      selected.push({ ...field, predicate: verdict === true ? undefined : verdict })
    }
  }
  return selected
}

/** The only measurements that can match, sorted; undefined: any can. */
function pinnedMeasurements(predicates: readonly RowPredicate[]): readonly string[] | undefined {
  for (const predicate of predicates) {
    const names = pinned(predicate)
    if (names !== undefined) return [...new Set(names)].sort()
  }
  return undefined
}

function pinned(predicate: RowPredicate): readonly string[] | undefined {
  switch (predicate.kind) {
    case 'compare':
      if (predicate.column !== '_measurement' || predicate.op !== '=') return undefined
      return [predicate.value as string]
    case 'among':
      return predicate.column === '_measurement' ? predicate.values : undefined
    case 'and':
      return pinnedMeasurements(predicate.parts)
    case 'or': {
      const parts = predicate.parts.map(pinned)
      return parts.includes(undefined) ? undefined : parts.flatMap((names) => names ?? [])
    }
    default:
      return undefined
  }
}

/** One read for each measurement, in order of their names. */
export function* measurementReads(
  read: StorageRead,
  fields: readonly SelectedField[],
  context: FluxContext,
  aggregate?: StorageAggregate,
): Generator<MeasurementRead & { readonly measurement: string }, void, void> {
  const { scope, signal, memory, points, reads } = context
  const store = reads === undefined ? scope.store : notingReads(scope.store, reads)
  for (const [measurement, own] of byMeasurement(fields)) {
    const requests = own.map((group): FieldsRequest => {
      const request = requestOf(read, measurement, group[0].predicate, aggregate)
      return { request, fields: group.flatMap((field) => requested(field, aggregate)) }
    })
    yield { measurement, store, signal, memory, points, requests }
  }

  function* byMeasurement(
    all: readonly SelectedField[],
  ): Generator<readonly [string, readonly (readonly SelectedField[])[]], void, void> {
    const measurements = new Map<string, SelectedField[]>()
    for (const field of all) {
      const own = measurements.get(field.measurement)
      if (own === undefined) measurements.set(field.measurement, [field])
      else own.push(field)
    }
    for (const [name, own] of measurements) yield [name, sideBySide(own, read)]
  }
}

function requested(
  { name, type }: SelectedField,
  aggregate: StorageAggregate | undefined,
): readonly RequestedField[] {
  if (aggregate === undefined) return [{ name, type }]
  return aggregate.functions.map((fn) => ({ name, type: resultType(fn, type), function: fn }))
}

export function resultType(fn: AggregateFunction, type: FieldType): FieldType {
  if (fn === 'count') return 'integer'
  return fn === 'mean' ? 'float' : type
}

/**
 * Fields of which the same is asked are read together. Where rows are counted or values compared, a row counts for one
 * field only: each is read for itself.
 */
function sideBySide(
  fields: readonly SelectedField[],
  { rowsMax }: StorageRead,
): readonly (readonly SelectedField[])[] {
  const groups = new Map<string, SelectedField[]>()
  const alone: SelectedField[][] = []
  for (const field of fields) {
    const { predicate } = field
    if (rowsMax !== undefined) alone.push([{ ...field, predicate: withValue(field) }])
    else if (predicate !== undefined && !isTagPredicate(predicate)) alone.push([field])
    else {
      const text = JSON.stringify(predicate ?? null)
      const group = groups.get(text)
      if (group === undefined) groups.set(text, [field])
      else group.push(field)
    }
  }
  return [...groups.values(), ...alone]
}

/** Rows that have only other fields must not count. */
function withValue({ name, predicate }: SelectedField): Predicate | undefined {
  const has: Predicate = { kind: 'field-present', field: name }
  const all: Verdict = allOf(predicate === undefined ? [has] : [predicate, has])
  return typeof all === 'boolean' ? undefined : all
}

function requestOf(
  { bucket, range, descending, rowsMax }: StorageRead,
  measurement: string,
  predicate: Predicate | undefined,
  aggregate: StorageAggregate | undefined,
): ReadRequest {
  const request: ReadRequest = {
    bucket,
    range,
    measurement,
    predicate,
    descending: descending === true,
    limitPerSeries: rowsMax,
  }
  if (aggregate === undefined) return request
  const { everyNs, offsetNs, pointTimes = false } = aggregate
  return { ...request, window: { everyNs, offsetNs, aggregates: [], pointTimes } }
}
