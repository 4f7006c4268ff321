// Answers about the schema: names, fields and series from the registry and the index, without looking at points. The
// index knows in which spans of time a series was written; that its points were deleted since, it does not.

import { compareByTags, compareUtf8, type Series } from '../../column/series.js'
import { allTime, type TimeRange } from '../../column/time.js'
import { matcher, tagOf } from '../matches.js'
import type { Extent, FieldSchema, NamesRequest, SchemaRequest } from '../store.js'
import { indexTables, spanOf, spanRange } from './layout.js'
import type { NativeBase, ReadBlock } from './native-format.js'
import type { Measurement, Registry } from './registry.js'
import { indexCondition, selectSeries, spanCondition } from './selection.js'
import { SeriesList } from './series-list.js'
import type { Servers } from './servers.js'
import { int64Literal, textLiteral } from './sql-text.js'
import { byPlace } from './statements.js'

export interface SchemaParts {
  readonly servers: Servers
  readonly registry: Registry
  /** Points before it have expired. */
  oldest(bucket: string): bigint
}

/** Measurements in one statement. */
const numbersMax = 1000

export class Schema {
  readonly #parts: SchemaParts

  constructor(parts: SchemaParts) {
    this.#parts = parts
  }

  async names(request: NamesRequest, signal?: AbortSignal): Promise<readonly string[]> {
    // A bad pattern is refused whatever is stored.
    matcher(request.predicate)
    const measurements = await this.#measurements(request)
    const { range, predicate } = request
    const names = new Set<string>()
    if (predicate !== undefined) {
      for (const one of measurements) {
        const series = await this.#series(one, request, signal)
        for (const name of namesOf(one, series, request)) names.add(name)
      }
      return sorted(names)
    }
    switch (request.kind) {
      case 'measurements': {
        const live =
          range === undefined ? measurements : await this.#withPoints(measurements, request)
        return sorted(live.map(({ name }) => name))
      }
      case 'tag-keys':
        if (range === undefined) return sorted(measurements.flatMap(({ tagKeys }) => [...tagKeys]))
        return sorted(await this.#tagTexts(measurements, 'tag', request, '', signal))
      case 'tag-values': {
        const own = ` AND tag = ${textLiteral(request.tag)}`
        return sorted(await this.#tagTexts(measurements, 'value', request, own, signal))
      }
    }
  }

  async fields(request: SchemaRequest, signal?: AbortSignal): Promise<readonly FieldSchema[]> {
    matcher(request.predicate)
    const { range } = request
    const isAll =
      range === undefined || (range.start <= allTime.start && range.stop >= allTime.stop)
    const fields: FieldSchema[] = []
    const measurements = await this.#measurements(request)
    const spans = isAll ? undefined : await this.#fieldsWithPoints(measurements, request)
    for (const one of measurements) {
      if (request.predicate !== undefined || range !== undefined) {
        if ((await this.#count(one, request, signal)) === 0) continue
      }
      const known = spans?.get(one.number)
      fields.push(...one.schema.fields.filter(({ name }) => isAll || known?.has(name) === true))
    }
    return fields
  }

  async series(request: SchemaRequest, signal?: AbortSignal): Promise<readonly Series[]> {
    matcher(request.predicate)
    const found: Series[] = []
    for (const one of await this.#measurements(request)) {
      for (const series of (await this.#series(one, request, signal)).all()) found.push(series)
    }
    return found.sort(compareByTags)
  }

  async cardinality(request: SchemaRequest, signal?: AbortSignal): Promise<number> {
    matcher(request.predicate)
    const measurements = await this.#measurements(request)
    if (request.predicate === undefined) return this.#countAll(measurements, request, signal)
    let count = 0
    for (const one of measurements) count += await this.#count(one, request, signal)
    return count
  }

  async shards(bucket: string): Promise<readonly TimeRange[]> {
    const measurements = await this.#measurements({ bucket })
    const spans = await this.#spans(measurements)
    const oldest = this.#parts.oldest(bucket)
    const found = new Map<string, TimeRange>()
    for (const { number, span } of spans) {
      const { spanClass } = measurements.find((one) => one.number === number)!
      const range = spanRange(BigInt(span), spanClass)
      if (range.stop > oldest) found.set(`${range.start}-${range.stop}`, range)
    }
    return [...found.values()].sort((a, b) => (a.start < b.start ? -1 : 1))
  }

  /** Exact while there are few rows; beyond, what the spans and the sizes of tables say. */
  async extent(request: SchemaRequest, signal?: AbortSignal): Promise<Extent> {
    matcher(request.predicate)
    let [rowCountMax, range]: [number, TimeRange | undefined] = [0, undefined]
    for (const one of await this.#measurements(request)) {
      const found = await this.#extentOf(one, request, signal)
      rowCountMax += found.rowCountMax
      range = hull(range, found.range)
    }
    return { range, rowCountMax }
  }

  async #extentOf(one: Measurement, request: SchemaRequest, signal?: AbortSignal): Promise<Extent> {
    const asked = request.range ?? allTime
    const oldest = this.#parts.oldest(request.bucket)
    const first = oldest > asked.start ? oldest : asked.start
    const range = {
      start: first > allTime.start ? first : allTime.start,
      stop: asked.stop < allTime.stop ? asked.stop : allTime.stop,
    }
    if (range.start >= range.stop) return { range: undefined, rowCountMax: 0 }
    const { servers } = this.#parts
    const times = `time >= ${int64Literal(range.start)} AND time < ${int64Literal(range.stop)}`
    const spans = spanCondition(one, range)
    const chosen =
      request.predicate === undefined
        ? ''
        : ` AND series IN (SELECT series FROM ${indexTables.series} WHERE ${
            indexCondition(one, range, request.predicate).sql
          })`
    let [rowCountMax, found]: [number, TimeRange | undefined] = [0, undefined]
    for (const { place } of byPlace(one.fields.values())) {
      const where = `m = ${one.number} AND chunk = ${place.chunk} AND ${times}${spans}${chosen}`
      const from = `(SELECT time FROM ${place.table} WHERE ${where} LIMIT ${scannedRowsMax})`
      const sql = `SELECT toUInt64(count()) AS c, min(time) AS a, max(time) AS b FROM ${from}`
      for (const block of await servers.rowsOfAll(sql, ['UInt64', 'Int64', 'Int64'], signal)) {
        const count = Number(bigintAt(block, 0, 0))
        if (count === 0) continue
        if (count >= scannedRowsMax) return this.#roughExtent(one, range)
        rowCountMax += count
        found = hull(found, { start: bigintAt(block, 1, 0), stop: bigintAt(block, 2, 0) + 1n })
      }
    }
    return { range: found, rowCountMax }
  }

  async #roughExtent(one: Measurement, range: TimeRange): Promise<Extent> {
    const { servers } = this.#parts
    const names = byPlace(one.fields.values())
      .map(({ place }) => `'${place.table}'`)
      .join(', ')
    const where = `database = currentDatabase() AND active AND table IN (${names})`
    const sql = `SELECT toUInt64(sum(rows)) AS c FROM system.parts WHERE ${where}`
    return { range, rowCountMax: sumOf(await servers.rowsOfAll(sql, ['UInt64'])) }
  }

  /** Of a request: the one it names, or all of the bucket, by name. */
  async #measurements({ bucket, measurement }: SchemaRequest): Promise<readonly Measurement[]> {
    const { registry } = this.#parts
    if (measurement === undefined) return registry.all(bucket)
    const found = await registry.find(bucket, measurement)
    return found === undefined ? [] : [found]
  }

  /** Cut to what has not expired, shard by shard; absent: ever. */
  #range({ bucket, range }: SchemaRequest): TimeRange | undefined {
    if (range === undefined) return undefined
    const oldest = this.#parts.oldest(bucket)
    return { start: range.start > oldest ? range.start : oldest, stop: range.stop }
  }

  async #series(one: Measurement, request: SchemaRequest, signal?: AbortSignal) {
    const range = this.#range(request)
    if (range !== undefined && range.start >= range.stop) return new SeriesList()
    return selectSeries(this.#parts.servers, one, range, request.predicate, signal)
  }

  async #count(one: Measurement, request: SchemaRequest, signal?: AbortSignal): Promise<number> {
    const { servers } = this.#parts
    const range = this.#range(request)
    if (range !== undefined && range.start >= range.stop) return 0
    const { sql, isExact } = indexCondition(one, range, request.predicate)
    if (!isExact) return (await this.#series(one, request, signal)).length
    const statement = `SELECT toUInt64(uniqExact(series)) AS c FROM ${indexTables.series} WHERE ${sql}`
    return sumOf(await servers.rowsOfAll(statement, ['UInt64'], signal))
  }

  async #countAll(all: readonly Measurement[], request: SchemaRequest, signal?: AbortSignal) {
    const { servers } = this.#parts
    let count = 0
    await this.#inParts(all, request, async (where) => {
      const sql = `SELECT toUInt64(uniqExact(m, series)) AS c FROM ${indexTables.series} WHERE ${where}`
      count += sumOf(await servers.rowsOfAll(sql, ['UInt64'], signal))
    })
    return count
  }

  async #tagTexts(
    all: readonly Measurement[],
    column: 'tag' | 'value',
    request: SchemaRequest,
    more: string,
    signal?: AbortSignal,
  ): Promise<string[]> {
    const { servers } = this.#parts
    const from = indexTables.tags
    const texts: string[] = []
    await this.#inParts(all, request, async (where) => {
      const sql = `SELECT DISTINCT ${column} AS t FROM ${from} WHERE ${where}${more}`
      for (const block of await servers.rowsOfAll(sql, textTypes, signal)) {
        for (const text of textsOf(block)) texts.push(text)
      }
    })
    return texts
  }

  /** Conditions that mean all of these measurements, a thousand at a time. */
  async #inParts(
    all: readonly Measurement[],
    request: SchemaRequest,
    use: (where: string) => Promise<void>,
  ): Promise<void> {
    const range = this.#range(request)
    if (range !== undefined && range.start >= range.stop) return
    const byCondition = new Map<string, number[]>()
    for (const one of all) {
      const spans = spanCondition(one, range)
      byCondition.set(spans, [...(byCondition.get(spans) ?? []), one.number])
    }
    for (const [spans, numbers] of byCondition) {
      for (let at = 0; at < numbers.length; at += numbersMax) {
        await use(`m IN (${numbers.slice(at, at + numbersMax).join(',')})${spans}`)
      }
    }
  }

  #spans(all: readonly Measurement[]) {
    return this.#parts.registry.storage.spans(all.map(({ number }) => number))
  }

  /** By number of the measurement. */
  async #fieldsWithPoints(all: readonly Measurement[], request: SchemaRequest) {
    const range = this.#range(request)!
    const found = new Map<number, Set<string>>()
    if (range.start >= range.stop) return found
    const classes = new Map(all.map(({ number, spanClass }) => [number, spanClass]))
    for (const { number, span, fields } of await this.#spans(all)) {
      const spanClass = classes.get(number)!
      const start = range.start < allTime.start ? allTime.start : range.start
      const stop = range.stop > allTime.stop ? allTime.stop : range.stop
      const isIn =
        BigInt(span) >= spanOf(start, spanClass) && BigInt(span) <= spanOf(stop - 1n, spanClass)
      if (!isIn) continue
      const names = found.get(number) ?? new Set<string>()
      found.set(number, names)
      for (const name of fields) names.add(name)
    }
    return found
  }

  async #withPoints(all: readonly Measurement[], request: SchemaRequest) {
    const found = await this.#fieldsWithPoints(all, request)
    return all.filter(({ number }) => found.has(number))
  }
}

/** Rows that are looked at to tell how far points reach. */
const scannedRowsMax = 200_000

const textTypes: readonly NativeBase[] = ['String']

function hull(a: TimeRange | undefined, b: TimeRange | undefined): TimeRange | undefined {
  if (a === undefined || b === undefined) return a ?? b
  return { start: a.start < b.start ? a.start : b.start, stop: a.stop > b.stop ? a.stop : b.stop }
}

function bigintAt({ columns }: ReadBlock, column: number, row: number): bigint {
  const found = columns[column]
  return found.base === 'String' ? 0n : BigInt(found.values[row])
}

/** Of the only column: a series is counted by the shard that has it. */
function sumOf(blocks: readonly ReadBlock[]): number {
  return blocks.reduce((sum, block) => sum + Number(bigintAt(block, 0, 0)), 0)
}

function textsOf({ rowCount, columns: [column] }: ReadBlock): string[] {
  if (column.base !== 'String') return []
  const { offsets, bytes } = column
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return Array.from({ length: rowCount }, (_, row) =>
    text.toString('utf8', offsets[row], offsets[row + 1]),
  )
}

function* namesOf(
  measurement: Measurement,
  series: SeriesList,
  request: NamesRequest,
): Generator<string, void, void> {
  if (series.length > 0 && request.kind === 'measurements') yield measurement.name
  for (const one of series.all()) {
    if (request.kind === 'tag-keys') for (const { key } of one.tags) yield key
    if (request.kind !== 'tag-values') continue
    const value = tagOf(one, request.tag)
    if (value !== '') yield value
  }
}

function sorted(names: Iterable<string>): string[] {
  return [...new Set(names)].sort(compareUtf8)
}
