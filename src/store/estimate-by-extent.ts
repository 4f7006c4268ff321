// What a read is expected to take, for engines that cut nothing by it: the rows that may lie in the range, times the
// fields that are looked at.

import {
  isTagPredicate,
  type Predicate,
  predicateFields,
  type TagPredicate,
} from '../column/predicate.js'
import { aggregatedFields } from './aggregate-types.js'
import type { ReadEstimate, ReadRequest, Store } from './store.js'

export async function estimateByExtent(
  store: Pick<Store, 'extent' | 'measurementSchema'>,
  request: ReadRequest,
  signal: AbortSignal | undefined,
): Promise<ReadEstimate> {
  const { bucket, measurement, range } = request
  const predicate = tagPart(request.predicate)
  const { rowCountMax } = await store.extent({ bucket, measurement, range, predicate }, signal)
  const { fields } = await store.measurementSchema(bucket, measurement, signal)
  const names = fieldsLookedAt(request)
  const count =
    names === undefined ? fields.length : fields.filter(({ name }) => names.has(name)).length
  return { valueCount: rowCountMax * Math.max(1, count), isShared: false }
}

/** What of it the index can answer. */
function tagPart(predicate: Predicate | undefined): TagPredicate | undefined {
  if (predicate === undefined || isTagPredicate(predicate)) return predicate
  if (predicate.kind !== 'and') return undefined
  return { kind: 'and', parts: predicate.parts.filter(isTagPredicate) }
}

/** Undefined: all that there are. */
function fieldsLookedAt(request: ReadRequest): Set<string> | undefined {
  const { window, fields, predicate } = request
  const wanted = window === undefined ? fields : aggregatedFields(window)
  if (wanted === undefined) return undefined
  const names = new Set(wanted)
  if (predicate !== undefined) predicateFields(predicate, names)
  return names
}
