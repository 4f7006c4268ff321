// Which groups the series of a measurement fall into, from the index: for SLIMIT and SOFFSET, which count groups with
// points in the shards of the range, even where none of them lies in the range, and for reading group by group.

import { isTagPredicate, type Predicate, type TagPredicate } from '../../column/predicate.js'
import { compareUtf8 } from '../../column/series.js'
import type { ResolvedMeasurement } from '../plan/resolved.js'
import type { TimeSpan } from './call-pipeline.js'
import type { ExecuteContext } from './context.js'
import { compareGroups, type GroupKey, groupTags, tagsText } from './rows.js'

/** Refuses a SELECT that would touch more series than it may. */
export async function checkSeriesLimit(
  { store, meter, signal }: ExecuteContext,
  source: ResolvedMeasurement,
  predicate: Predicate | undefined,
): Promise<void> {
  if (meter.limits.seriesMax === 0) return
  const { bucket, name: measurement } = source
  const request = { bucket, measurement, predicate: tagPart(predicate) }
  meter.checkSeries(await store.cardinality(request, signal))
}

/** The groups that SLIMIT and SOFFSET leave, in the order of the query. */
export async function limitedGroups(
  context: ExecuteContext,
  source: ResolvedMeasurement,
  predicate: Predicate | undefined,
  request: SeriesLimits & GroupsRequest,
): Promise<GroupKey[]> {
  const all = await seriesGroups(context, source, predicate, request)
  return inOrder(
    withinLimits(all, (key) => key, request),
    request,
  )
}

export interface GroupsRequest {
  readonly dimensions: readonly string[]
  readonly ascending: boolean
  readonly range: TimeSpan
}

/** How many groups of a measurement, and how many are passed over first. 0: no limit. */
export interface SeriesLimits {
  readonly slimit: number
  readonly soffset: number
}

/** Those of each measurement that the limits leave, in any order. */
export function withinLimits<T>(
  groups: readonly T[],
  keyOf: (group: T) => GroupKey,
  { slimit, soffset }: SeriesLimits,
): T[] {
  const stop = slimit === 0 ? Number.POSITIVE_INFINITY : soffset + slimit
  const counts = new Map<string, number>()
  return groups
    .map((group) => ({ group, key: keyOf(group), text: countingKey(keyOf(group)) }))
    .sort((a, b) => compareUtf8(a.text, b.text))
    .filter(({ key: { name } }) => {
      const count = counts.get(name) ?? 0
      counts.set(name, count + 1)
      return count >= soffset && count < stop
    })
    .map(({ group }) => group)
}

/** What InfluxDB orders groups by when it counts them: tags that are there, first all keys, then all values. */
function countingKey({ tags }: GroupKey): string {
  const there = tags.filter(({ value }) => value !== '')
  return [...there.map(({ key }) => key), ...there.map(({ value }) => value)].join('|')
}

export async function seriesGroups(
  context: ExecuteContext,
  source: ResolvedMeasurement,
  predicate: Predicate | undefined,
  request: GroupsRequest,
): Promise<GroupKey[]> {
  const { dimensions, range } = request
  const asked = {
    bucket: source.bucket,
    measurement: source.name,
    predicate: tagPart(predicate),
    range: { start: range.min, stop: range.max + 1n },
  }
  const groups = new Map<string, GroupKey>()
  for await (const page of context.store.series(asked, context.signal)) {
    for (const each of page) {
      const key = { name: source.name, tags: groupTags(dimensions, each.tags) }
      groups.set(tagsText(key.tags), key)
    }
    // All others are of the same group.
    if (dimensions.length === 0 && groups.size > 0) break
  }
  return inOrder([...groups.values()], request)
}

function inOrder(groups: GroupKey[], { ascending }: GroupsRequest): GroupKey[] {
  const sorted = groups.sort(compareGroups)
  return ascending ? sorted : sorted.reverse()
}

/** The part of a predicate that tags alone decide; what else there is only makes it stricter. */
function tagPart(predicate: Predicate | undefined): TagPredicate | undefined {
  if (predicate === undefined) return undefined
  if (predicate.kind === 'and') {
    const parts = predicate.parts.map(tagPart).filter((part) => part !== undefined)
    return parts.length === 0 ? undefined : { kind: 'and', parts }
  }
  return isTagPredicate(predicate) ? predicate : undefined
}
