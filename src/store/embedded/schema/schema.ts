// Answers about what is there, from the index alone; with a time range, from the series that have
// rows in the shards it touches. Lists are put in order and spelt out entry by entry as they are read, and whatever
// looks at every series can be interrupted: with a million of them nobody else may wait.

import { ByteTable } from '../../../column/byte-table.js'
import { firstNumbers } from '../../../column/first-numbers.js'
import type { TagPredicate } from '../../../column/predicate.js'
import { compareUtf8, type Series } from '../../../column/series.js'
import { type TimeRange, timeMax, timeMin } from '../../../column/time.js'
import { type MaybePromise, whenReady } from '../../../platform/pull-stream.js'
import { inTurns, type Work } from '../../../platform/turns.js'
import { type EntryList, listOf } from '../../schema-pages.js'
import type { FieldSchema, MeasurementSchema, NamesRequest, SchemaRequest } from '../../store.js'
import type { Snapshot } from '../bucket/snapshot.js'
import { toPlaces } from '../index/key-order.js'
import { LazyOrder } from '../index/lazy-order.js'
import { LazySeriesOrder } from '../index/lazy-series-order.js'
import type { Measurement } from '../index/series-index.js'
import { numberAt } from '../index/series-key-table.js'
import type { SeriesMarks } from '../index/series-marks.js'
import { matchSeriesInTurns } from '../index/series-match.js'
import type { TagColumn } from '../index/tag-column.js'
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

export function* namesOf(snapshot: Snapshot, request: NamesRequest): Work<EntryList<string>> {
  if (request.kind === 'measurements') {
    return sortedNames((yield* measurementsOf(snapshot, request)).map(({ name }) => name))
  }
  const selected = yield* selectMeasurements(snapshot, request)
  switch (request.kind) {
    case 'tag-keys':
      return sortedNames(yield* tagKeysOf(selected))
    case 'tag-values':
      return selected.length === 1
        ? yield* tagValues(selected[0], request.tag)
        : yield* valuesOfSeveral(selected, request.tag)
  }
}

export function* cardinalityOf(snapshot: Snapshot, request: SchemaRequest): Work<number> {
  const selected = yield* selectMeasurements(snapshot, request)
  return selected.reduce((sum, one) => sum + positionCount(one), 0)
}

export function shardsWithRows(snapshot: Snapshot): TimeRange[] {
  const { measurements } = snapshot.index
  return snapshot.shards
    .filter((one) => measurements.some((m) => hasRows({ ...snapshot, shards: [one] }, m)))
    .map(({ shard }) => ({ start: shard.start, stop: shard.stop }))
}

interface Selected {
  readonly measurement: Measurement
  /** Positions of the series that count; undefined: all. */
  readonly positions: Uint32Array | undefined
}

function namedMeasurements(
  { index }: Snapshot,
  { measurement }: SchemaRequest,
): readonly Measurement[] {
  if (measurement === undefined) return index.measurements
  const found = index.measurement(measurement)
  return found === undefined ? [] : [found]
}

/** Those with a series that counts. Which ones these are is only looked for where it matters. */
function* measurementsOf(snapshot: Snapshot, request: SchemaRequest): Work<Measurement[]> {
  if (request.predicate !== undefined) {
    return (yield* selectMeasurements(snapshot, request)).map(({ measurement }) => measurement)
  }
  const found: Measurement[] = []
  for (const measurement of namedMeasurements(snapshot, request)) {
    const { seriesCount } = measurement
    if (request.range === undefined ? seriesCount > 0 : hasRows(snapshot, measurement)) {
      found.push(measurement)
    }
    yield
  }
  return found
}

function* selectMeasurements(snapshot: Snapshot, request: SchemaRequest): Work<Selected[]> {
  const selected: Selected[] = []
  for (const measurement of namedMeasurements(snapshot, request)) {
    const { range } = request
    const live =
      range === undefined ? undefined : yield* liveSet(snapshot, measurement, isAllTime(range))
    const positions = yield* positionsOf(measurement, request.predicate, live)
    const one = { measurement, positions }
    if (positionCount(one) > 0) selected.push(one)
    yield
  }
  return selected
}

/** Series between two places where the work may be interrupted. What is done for so many is a function of its own. */
const stepSeries = 8192

/** The beginnings and ends of such steps. */
function* stepsTo(count: number): Generator<readonly [start: number, stop: number], void, void> {
  for (let start = 0; start < count; start += stepSeries) {
    yield [start, Math.min(start + stepSeries, count)]
  }
}

function* positionsOf(
  measurement: Measurement,
  predicate: TagPredicate | undefined,
  live: SeriesMarks | undefined,
): Work<Uint32Array | undefined> {
  if (predicate === undefined && live === undefined) return undefined
  const matching =
    predicate === undefined
      ? firstNumbers(measurement.seriesCount)
      : yield* matchSeriesInTurns(measurement, predicate)
  if (live === undefined) return matching
  const left = new Uint32Array(matching.length)
  let count = 0
  for (const [start, stop] of stepsTo(matching.length)) {
    yield
    const step = matching.subarray(start, stop)
    count += putLive(step, measurement.seriesIds, live, left.subarray(count))
  }
  return left.subarray(0, count)
}

function putLive(
  positions: Uint32Array,
  seriesIds: Uint32Array,
  live: SeriesMarks,
  to: Uint32Array,
): number {
  let count = 0
  for (let i = 0; i < positions.length; i++) {
    if (live.has(seriesIds[positions[i]])) to[count++] = positions[i]
  }
  return count
}

function positionCount({ measurement, positions }: Selected): number {
  return positions === undefined ? measurement.seriesCount : positions.length
}

function sortedNames(found: readonly string[]): EntryList<string> {
  return listOf([...new Set(found)].sort(compareUtf8))
}

function* tagKeysOf(selected: readonly Selected[]): Work<string[]> {
  const keys: string[] = []
  for (const { measurement, positions } of selected) {
    for (const [key, column] of measurement.tags) {
      if (positions === undefined || (yield* hasAny(column, positions))) keys.push(key)
    }
  }
  return keys
}

function* hasAny(column: TagColumn, positions: Uint32Array): Work<boolean> {
  for (const [start, stop] of stepsTo(positions.length)) {
    if (positions.subarray(start, stop).some((one) => column.codeAt(one) !== 0)) return true
    yield
  }
  return false
}

/** Sorted and unique. */
function* tagValues(selected: Selected, tag: string): Work<EntryList<string>> {
  const column = selected.measurement.tags.get(tag)
  if (column === undefined) return listOf([])
  const numbers = yield* valueNumbers(selected, column)
  if (numbers === undefined) return new AllValues(column)
  const order = new LazyOrder(numbers, column.values.shareable())
  return {
    count: order.count,
    at: (i) => column.textOf(order.at(i) + 1),
    ensure: (count) => order.ensure(count),
  }
}

/** All values of a tag: the first of many are known, the others put in order for who goes on reading. */
class AllValues implements EntryList<string> {
  readonly count: number
  readonly #column: TagColumn
  readonly #firsts: Uint32Array
  #order: LazyOrder | undefined

  constructor(column: TagColumn) {
    this.#column = column
    this.count = column.values.count
    this.#firsts = column.firstNumbers()
  }

  at(i: number): string {
    const number = this.#order === undefined ? this.#firsts[i] : this.#order.at(i)
    return this.#column.textOf(number + 1)
  }

  ensure(count: number): MaybePromise<void> {
    if (this.#order === undefined && count <= this.#firsts.length) return
    return whenReady(this.#order ?? inTurns(this.#column.order(this.count), undefined), (order) => {
      this.#order = order
      return order.ensure(count)
    })
  }
}

/** Numbers of the values that chosen series have; undefined: all. */
function* valueNumbers(
  { positions }: Selected,
  column: TagColumn,
): Work<Uint32Array<ArrayBuffer> | undefined> {
  if (positions === undefined) return undefined
  const isThere = new Uint8Array(column.values.count + 1)
  for (const [start, stop] of stepsTo(positions.length)) {
    yield
    markCodes(positions.subarray(start, stop), column, isThere)
  }
  const numbers = new Uint32Array(isThere.length - 1)
  let count = 0
  for (const [start, stop] of stepsTo(numbers.length)) {
    yield
    count += putMarked(isThere, start, stop, numbers.subarray(count))
  }
  return numbers.slice(0, count)
}

/** Values that came meanwhile have no place among the marks. */
function markCodes(positions: Uint32Array, column: TagColumn, isThere: Uint8Array): void {
  for (let i = 0; i < positions.length; i++) isThere[column.codeAt(positions[i])] = 1
}

/** Numbers of values from `start` to `stop`, which are codes less one; how many there are. */
function putMarked(isThere: Uint8Array, start: number, stop: number, to: Uint32Array): number {
  let count = 0
  for (let number = start; number < stop; number++) {
    if (isThere[number + 1] === 1) to[count++] = number
  }
  return count
}

/** Of several measurements, each value once. */
function* valuesOfSeveral(selected: readonly Selected[], tag: string): Work<EntryList<string>> {
  const all = new ByteTable()
  for (const one of selected) {
    const values = one.measurement.tags.get(tag)
    if (values === undefined) continue
    const numbers = yield* valueNumbers(one, values)
    const { arena, starts, lengths, count } = values.values.shareable()
    for (let i = 0; i < (numbers?.length ?? count); i++) {
      const number = numbers === undefined ? i : numbers[i]
      all.intern(arena, starts[number], starts[number] + lengths[number])
      if (i % stepSeries === 0) yield
    }
  }
  const order = new LazyOrder(firstNumbers(all.count), all)
  return {
    count: order.count,
    at: (i) => all.text(order.at(i)),
    ensure: (count) => order.ensure(count),
  }
}

export function* fieldsOf(
  snapshot: Snapshot,
  request: SchemaRequest,
): Work<EntryList<FieldSchema>> {
  // A field is not forgotten with its last value, only with its measurement.
  const isEverything = request.range === undefined || isAllTime(request.range)
  const measurements = yield* measurementsOf(snapshot, request)
  const fields = measurements.flatMap((measurement) => {
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

export function* seriesOf(snapshot: Snapshot, request: SchemaRequest): Work<EntryList<Series>> {
  const { index } = snapshot
  const selected = yield* selectMeasurements(snapshot, request)
  const ids = new Uint32Array(selected.reduce((sum, one) => sum + positionCount(one), 0))
  let count = 0
  for (const { measurement, positions } of selected) {
    const seriesCount = Math.min(positionCount({ measurement, positions }), ids.length - count)
    for (const [start, stop] of stepsTo(seriesCount)) {
      yield
      const step = ids.subarray(count, count + stop - start)
      putIds(measurement.seriesIds, positions, start, step)
      toPlaces(step, index.keyView())
      count += step.length
    }
  }
  const keys = index.keyView()
  const order = new LazySeriesOrder(ids.subarray(0, count), keys)
  const at = (i: number) => index.series(numberAt(keys, order.at(i)))
  return { count, at, ensure: (upTo) => order.ensure(upTo) }
}

function putIds(
  seriesIds: Uint32Array,
  positions: Uint32Array | undefined,
  start: number,
  to: Uint32Array,
): void {
  for (let i = 0; i < to.length; i++) {
    to[i] = seriesIds[positions === undefined ? start + i : positions[start + i]]
  }
}
