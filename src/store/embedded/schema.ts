// Answers about what is there, from the index alone; with a time range, from the series that have
// rows in the shards it touches.

import type { TagPredicate } from '../../column/predicate.js'
import { type TimeRange, timeMax, timeMin } from '../../column/time.js'
import { assert } from '../../errors.js'
import type { FieldSchema, SchemaAnswer, SchemaRequest } from '../store.js'
import { extentOf } from './extent.js'
import { sortByKey } from './key-order.js'
import { hasRows, liveSet } from './liveness.js'
import type { Snapshot } from './read/snapshot.js'
import type { Measurement } from './series-index.js'
import { matchSeries } from './series-match.js'

export function answerSchema(snapshot: Snapshot, request: SchemaRequest): SchemaAnswer {
  if (request.kind === 'extent') return extentOf(snapshot, request)
  if (request.kind === 'shards') return { kind: 'shards', shards: shardsWithRows(snapshot) }
  const isPlain = request.range === undefined && request.predicate === undefined
  if (isPlain && (request.kind === 'fields' || request.kind === 'tag-keys')) {
    const measurement = snapshot.bucket.index.measurement(request.measurement ?? '')
    if (measurement !== undefined) return knownNames(snapshot, request, measurement)[request.kind]
  }
  return workOut(snapshot, request)
}

/** Every query asks for the fields and the tag keys of its measurement, and they hardly ever change. */
interface KnownNames {
  readonly fieldCount: number
  readonly tagCount: number
  readonly seriesCount: number
  readonly fields: SchemaAnswer
  readonly 'tag-keys': SchemaAnswer
}

const known = new WeakMap<Measurement, KnownNames>()

/** Neither fields nor tags are ever taken from a measurement: their numbers tell whether something has changed. */
function knownNames(
  snapshot: Snapshot,
  request: SchemaRequest,
  measurement: Measurement,
): KnownNames {
  const fieldCount = measurement.fields.length
  const tagCount = measurement.tags.size
  // Without series a measurement is not there.
  const seriesCount = Math.min(1, measurement.seriesCount)
  const kept = known.get(measurement)
  const isSame = kept?.fieldCount === fieldCount && kept.tagCount === tagCount
  if (isSame && kept.seriesCount === seriesCount) return kept
  const fields = workOut(snapshot, { ...request, kind: 'fields' })
  const tagKeys = workOut(snapshot, { ...request, kind: 'tag-keys' })
  const names = { fieldCount, tagCount, seriesCount, fields, 'tag-keys': tagKeys }
  known.set(measurement, names)
  return names
}

function workOut(snapshot: Snapshot, request: SchemaRequest): SchemaAnswer {
  const selected = selectMeasurements(snapshot, request)
  switch (request.kind) {
    case 'measurements':
      return names(selected.map(({ measurement }) => measurement.name))
    case 'tag-keys':
      return names(selected.flatMap(tagKeys))
    case 'tag-values':
      if (selected.length === 1) {
        return { kind: 'names', names: tagValues(selected[0], request.tag) }
      }
      return names(selected.flatMap((s) => tagValues(s, request.tag)))
    case 'fields':
      return { kind: 'fields', fields: fieldsOf(snapshot, request, selected) }
    case 'series':
      return { kind: 'series', series: seriesOf(snapshot, selected) }
    case 'cardinality': {
      const count = selected.reduce((sum, s) => sum + positionCount(s), 0)
      return { kind: 'cardinality', count }
    }
    default:
      assert(false, `schema request ${(request as SchemaRequest).kind}`)
  }
}

function shardsWithRows(snapshot: Snapshot): TimeRange[] {
  const { measurements } = snapshot.bucket.index
  return snapshot.shards
    .filter((one) => measurements.some((m) => hasRows({ ...snapshot, shards: [one] }, m)))
    .map(({ shard }) => ({ start: shard.start, stop: shard.stop }))
}

interface Selected {
  readonly measurement: Measurement
  /** Positions of the series that count; undefined: all. */
  readonly positions: Uint32Array | undefined
}

function selectMeasurements(snapshot: Snapshot, request: SchemaRequest): Selected[] {
  const { index } = snapshot.bucket
  const all =
    request.measurement === undefined
      ? index.measurements
      : [index.measurement(request.measurement)].filter((m) => m !== undefined)
  return all
    .map((measurement) => {
      const { range } = request
      const live =
        range === undefined ? undefined : liveSet(snapshot, measurement, isAllTime(range))
      return { measurement, positions: positionsOf(measurement, request.predicate, live) }
    })
    .filter((s) => positionCount(s) > 0)
}

function positionsOf(
  measurement: Measurement,
  predicate: TagPredicate | undefined,
  live: ReadonlySet<number> | undefined,
): Uint32Array | undefined {
  if (predicate === undefined && live === undefined) return undefined
  const matching =
    predicate === undefined
      ? Uint32Array.from({ length: measurement.seriesCount }, (_, i) => i)
      : matchSeries(measurement, predicate)
  if (live === undefined) return matching
  return matching.filter((position) => live.has(measurement.seriesIds[position]))
}

function positionCount({ measurement, positions }: Selected): number {
  return positions === undefined ? measurement.seriesCount : positions.length
}

function names(found: readonly string[]): SchemaAnswer {
  return { kind: 'names', names: [...new Set(found)].sort() }
}

function tagKeys({ measurement, positions }: Selected): string[] {
  const keys = [...measurement.tags.keys()]
  if (positions === undefined) return keys
  return keys.filter((key) => {
    const column = measurement.tags.get(key)!
    return positions.some((position) => column.codeAt(position) !== 0)
  })
}

/** Sorted and unique. */
function tagValues({ measurement, positions }: Selected, tag: string): readonly string[] {
  const column = measurement.tags.get(tag)
  if (column === undefined) return []
  const { texts, codes } = column.sortedValues()
  if (positions === undefined) return texts
  const isThere = new Uint8Array(column.values.count + 1)
  for (const position of positions) isThere[column.codeAt(position)] = 1
  return texts.filter((_, i) => isThere[codes[i]] === 1)
}

function fieldsOf(
  snapshot: Snapshot,
  request: SchemaRequest,
  selected: readonly Selected[],
): FieldSchema[] {
  // A field is not forgotten with its last value, only with its measurement.
  const isEverything = request.range === undefined || isAllTime(request.range)
  const fields = selected.flatMap(({ measurement }) =>
    Array.from(measurement.fieldsByName.values())
      .filter((field) => isEverything || hasField(snapshot, measurement, field))
      .map(({ name, type }) => ({ measurement: measurement.name, name, type })),
  )
  return fields.sort(compareFields)
}

function isAllTime({ start, stop }: TimeRange): boolean {
  return start <= timeMin && stop > timeMax
}

/** Whether rows of the snapshot's shards have the field. */
function hasField(
  { shards, generations }: Snapshot,
  measurement: Measurement,
  { id, name }: { readonly id: number; readonly name: string },
): boolean {
  return shards.some(
    ({ shard, segments }) =>
      segments.some(
        ({ reader }) =>
          reader.directory.measurements.get(measurement.name)?.hasField(name) === true,
      ) || generations.some((one) => one.table(shard, measurement.id)?.hasField(id) === true),
  )
}

function compareFields(a: FieldSchema, b: FieldSchema): number {
  if (a.measurement !== b.measurement) return a.measurement < b.measurement ? -1 : 1
  return a.name < b.name ? -1 : 1
}

function seriesOf(snapshot: Snapshot, selected: readonly Selected[]) {
  const { index } = snapshot.bucket
  const ids: number[] = []
  for (const { measurement, positions } of selected) {
    const count = positionCount({ measurement, positions })
    for (let i = 0; i < count; i++) {
      ids.push(measurement.seriesIds[positions === undefined ? i : positions[i]])
    }
  }
  const ordered = Uint32Array.from(ids)
  sortByKey(ordered, index.keyView())
  return Array.from(ordered, (id) => index.series(id))
}
