// Answers about what is there, from the index alone; with a time range, from the series that have
// rows in the shards it touches. Lists are spelt out entry by entry as they are read.

import type { TagPredicate } from '../../../column/predicate.js'
import type { Series } from '../../../column/series.js'
import { type TimeRange, timeMax, timeMin } from '../../../column/time.js'
import { type EntryList, listOf } from '../../schema-pages.js'
import type { FieldSchema, MeasurementSchema, NamesRequest, SchemaRequest } from '../../store.js'
import type { Snapshot } from '../bucket/snapshot.js'
import { sortByKey } from '../index/key-order.js'
import type { Measurement } from '../index/series-index.js'
import { matchSeries } from '../index/series-match.js'
import { hasRows, liveSet } from './liveness.js'

export const noSchema: MeasurementSchema = { version: 0, fields: [], tagKeys: [] }

/**
 * Every query asks for it, and it hardly ever changes: kept with the measurement. Neither fields nor tags are ever
 * taken from one, so that their numbers tell whether something has changed.
 */
export function measurementSchema(
  measurement: Measurement | undefined,
  nextVersion: () => number,
): MeasurementSchema {
  // Without series a measurement is not there.
  if (measurement === undefined || measurement.seriesCount === 0) return noSchema
  const { schema, fields, tags } = measurement
  if (schema?.fieldCount === fields.length && schema.tagCount === tags.size) return schema
  const made = {
    version: nextVersion(),
    fieldCount: fields.length,
    tagCount: tags.size,
    fields: fieldSchemas(measurement).sort(compareFields),
    tagKeys: [...tags.keys()].sort(),
  }
  measurement.schema = made
  return made
}

function fieldSchemas({ name: measurement, fieldsByName }: Measurement): FieldSchema[] {
  return Array.from(fieldsByName.values(), ({ name, type }) => ({ measurement, name, type }))
}

export function namesOf(snapshot: Snapshot, request: NamesRequest): EntryList<string> {
  const selected = selectMeasurements(snapshot, request)
  switch (request.kind) {
    case 'measurements':
      return sortedNames(selected.map(({ measurement }) => measurement.name))
    case 'tag-keys':
      return sortedNames(selected.flatMap(tagKeys))
    case 'tag-values':
      return selected.length === 1
        ? tagValues(selected[0], request.tag)
        : sortedNames(selected.flatMap((one) => everyEntry(tagValues(one, request.tag))))
  }
}

export function cardinalityOf(snapshot: Snapshot, request: SchemaRequest): number {
  return selectMeasurements(snapshot, request).reduce((sum, one) => sum + positionCount(one), 0)
}

export function shardsWithRows(snapshot: Snapshot): TimeRange[] {
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

function sortedNames(found: readonly string[]): EntryList<string> {
  return listOf([...new Set(found)].sort())
}

function everyEntry<T>({ count, at }: EntryList<T>): T[] {
  return Array.from({ length: count }, (_, i) => at(i))
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
function tagValues({ measurement, positions }: Selected, tag: string): EntryList<string> {
  const column = measurement.tags.get(tag)
  if (column === undefined) return listOf([])
  let codes = column.sortedCodes()
  if (positions !== undefined) {
    const isThere = new Uint8Array(column.values.count + 1)
    for (const position of positions) isThere[column.codeAt(position)] = 1
    codes = codes.filter((code) => isThere[code] === 1)
  }
  return { count: codes.length, at: (i) => column.textOf(codes[i]) }
}

export function fieldsOf(snapshot: Snapshot, request: SchemaRequest): EntryList<FieldSchema> {
  // A field is not forgotten with its last value, only with its measurement.
  const isEverything = request.range === undefined || isAllTime(request.range)
  const fields = selectMeasurements(snapshot, request).flatMap(({ measurement }) => {
    const all = fieldSchemas(measurement)
    return isEverything ? all : all.filter(({ name }) => hasField(snapshot, measurement, name))
  })
  return listOf(fields.sort(compareFields))
}

function isAllTime({ start, stop }: TimeRange): boolean {
  return start <= timeMin && stop > timeMax
}

/** Whether rows of the snapshot's shards have the field. */
function hasField(
  { shards, generations }: Snapshot,
  measurement: Measurement,
  name: string,
): boolean {
  const { id } = measurement.fieldsByName.get(name)!
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

export function seriesOf(snapshot: Snapshot, request: SchemaRequest): EntryList<Series> {
  const { index } = snapshot.bucket
  const selected = selectMeasurements(snapshot, request)
  const ids = new Uint32Array(selected.reduce((sum, one) => sum + positionCount(one), 0))
  let count = 0
  for (const { measurement, positions } of selected) {
    const seriesCount = positionCount({ measurement, positions })
    for (let i = 0; i < seriesCount; i++) {
      ids[count++] = measurement.seriesIds[positions === undefined ? i : positions[i]]
    }
  }
  sortByKey(ids, index.keyView())
  return { count, at: (i) => index.series(ids[i]) }
}
