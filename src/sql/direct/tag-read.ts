// The values of one tag as the store's read by groups of it would give them, out of the index instead: what a statement
// gets that asks for nothing else, where every row counts. A million series are not read for that.

import type { Batch, Run } from '../../column/batch.js'
import { isTagPredicate, type TagPredicate } from '../../column/predicate.js'
import { allTime } from '../../column/time.js'
import { collectPages } from '../../store/schema-pages.js'
import type { NamesRequest, ReadRequest, SchemaRequest, Store } from '../../store/store.js'

type TagRequest = Pick<ReadRequest, 'bucket' | 'measurement' | 'predicate' | 'range'>

export interface OrderedTag {
  readonly tag: string
  /** Where series without the tag stand. */
  readonly nullsFirst: boolean
}

/** In the order of their bytes. Undefined: the index does not tell which series have rows that count. */
export async function tagBatches(
  store: Store,
  request: TagRequest,
  { tag, nullsFirst }: OrderedTag,
  signal: AbortSignal,
): Promise<AsyncIterable<Batch> | undefined> {
  const series = await wholeSeries(store, request, signal)
  if (series === undefined) return undefined
  const found = batchesOf(store, series, { tag, nullsFirst }, signal)
  if (isUnbounded(request)) return found
  // A row that is written meanwhile may lie outside of the range.
  const all: Batch[] = []
  for await (const batch of found) all.push(batch)
  return (await wholeSeries(store, request, signal)) === undefined ? undefined : streamed(all)
}

/** How many values there are; undefined as above. */
export async function tagCount(
  store: Store,
  request: TagRequest,
  tag: string,
  signal: AbortSignal,
): Promise<number | undefined> {
  const series = await wholeSeries(store, request, signal)
  if (series === undefined) return undefined
  const names = store.names(valuesOf(series, tag), signal)
  const first = await names.take()
  const count = names.count ?? (first?.length ?? 0) + (await collectPages(names)).length
  await names.close()
  const isStill = isUnbounded(request) || (await wholeSeries(store, request, signal)) !== undefined
  return isStill ? count : undefined
}

function isUnbounded({ range }: TagRequest): boolean {
  return range.start === allTime.start && range.stop === allTime.stop
}

/** Which series count, where all their rows do. */
async function wholeSeries(
  store: Store,
  { bucket, measurement, predicate, range }: TagRequest,
  signal: AbortSignal,
): Promise<SchemaRequest | undefined> {
  if (predicate !== undefined && !isTagPredicate(predicate)) return undefined
  const { isWhole } = await store.extent({ bucket, measurement, predicate, range }, signal)
  // In a range those that deletes have left without rows are not told.
  return isWhole === true ? { bucket, measurement, predicate, range: allTime } : undefined
}

function valuesOf(series: SchemaRequest, tag: string): NamesRequest {
  return { ...series, kind: 'tag-values', tag }
}

async function* batchesOf(
  store: Store,
  series: SchemaRequest,
  { tag, nullsFirst }: OrderedTag,
  signal: AbortSignal,
): AsyncGenerator<Batch, void, void> {
  const { measurement } = series
  const hasNull = await lackTag(store, series, tag, signal)
  if (hasNull && nullsFirst) yield batchOf(measurement!, tag, [''])
  for await (const page of store.names(valuesOf(series, tag), signal)) {
    yield batchOf(measurement!, tag, page)
  }
  if (hasNull && !nullsFirst) yield batchOf(measurement!, tag, [''])
}

/** Whether some of them do not have it. */
async function lackTag(
  store: Store,
  series: SchemaRequest,
  tag: string,
  signal: AbortSignal,
): Promise<boolean> {
  const { predicate } = series
  const without: TagPredicate = { kind: 'tag', tag, op: '=', value: '' }
  const parts = predicate === undefined ? [without] : [predicate, without]
  const all: TagPredicate = { kind: 'and', parts }
  return (await store.cardinality({ ...series, predicate: all }, signal)) > 0
}

function batchOf(measurement: string, tag: string, values: readonly string[]): Batch {
  const runs = values.map((value, row): Run => {
    const tags = value === '' ? [] : [{ key: tag, value }]
    return { key: { measurement, tags }, keyId: row, start: row, stop: row + 1 }
  })
  const times = { base: 0n, offsets: new Float64Array(values.length) }
  return { measurement, rowCount: values.length, runs, times, fields: [], columns: [] }
}

async function* streamed<T>(values: readonly T[]): AsyncGenerator<T, void, void> {
  yield* values
}
