// A read: which series are meant, cut into runs, and for each run one statement per place that its fields lie in.
// Rows of one place leave as they come; those of several are joined by series and time. Aggregates run in ClickHouse
// wherever their values and the predicate lie in one place; what SQL cannot decide exactly is read and left to the
// plain engine.

import type { Batch } from '../../column/batch.js'
import { isTagPredicate, type TagPredicate } from '../../column/predicate.js'
import { allTime, type TimeRange } from '../../column/time.js'
import { LruCache } from '../../platform/lru-cache.js'
import { checkAggregate, countsRows } from '../aggregate-types.js'
import { matcher } from '../matches.js'
import type { ReadRequest, WindowAggregate } from '../store.js'
import { Ahead } from './ahead.js'
import type { PlacedField } from './layout.js'
import { readByPlainEngine } from './plain-read.js'
import { computedFrom, type PlannedRead, placeFinder, type Run } from './planned-read.js'
import { splitPredicate, valueCondition } from './predicate-sql.js'
import type { Measurement } from './registry.js'
import { readRows } from './row-read.js'
import { eachSeries, groupsOf, runsOf } from './runs.js'
import { isStillSelected, selectSeries, seriesStatement } from './selection.js'
import type { SeriesList } from './series-list.js'
import type { AskedServers } from './servers.js'
import { byPlace } from './statements.js'
import { readWideWindows } from './wide-windows.js'
import { readWindows } from './window-read.js'

/** Series whose rows are kept until all of them are there. */
const seriesPerWideRunMax = 1_000_000

/** A read whose series have to be looked up. */
interface OpenRead extends PlannedRead {
  /** Of rows. */
  readonly fields: readonly PlacedField[]
  /** The part of the predicate that looks at tags. */
  readonly tags: TagPredicate | undefined
}

/** A read whose series are known. */
export interface SelectedRead extends OpenRead {
  readonly runs: readonly Run[]
}

/** Of the series that one question was answered with: of more than a thousand guessing saves next to nothing. */
const guessedSeriesMax = 1000

/** What reads before have found out, by which the next ones guess. */
export class ReadMemory {
  readonly ahead = new Ahead()
  readonly series = new LruCache<string, SeriesList>({
    bytesMax: 8 << 20,
    sizeOf: (series, question) => series.byteLength + 2 * question.length,
  })
}

export async function* readMeasurement(
  servers: AskedServers,
  measurement: Measurement,
  request: ReadRequest,
  oldest: bigint,
  signal: AbortSignal,
  { ahead, series: last }: ReadMemory,
): AsyncGenerator<Batch, void, void> {
  const read = openRead(servers, measurement, request, oldest, signal)
  if (read === undefined) return
  const question = seriesStatement(measurement, read.range, read.tags)
  const guess = last.get(question)
  const select = async function* () {
    const found = await seriesOf(read)
    if (found.length <= guessedSeriesMax) last.set(question, found)
    else last.delete(question)
    yield* readSelected(withSeries(read, found))
  }
  if (guess === undefined) return yield* select()
  const { range, tags } = read
  const isRight = isStillSelected(guess, servers, measurement, range, tags, signal)
  const byGuess = (own: AbortSignal) => readSelected(withSeries({ ...read, signal: own }, guess))
  yield* ahead.read(signal, byGuess, isRight, async function* () {
    yield* (await isRight) ? byGuess(signal) : select()
  })
}

/** undefined: there is nothing to read. */
export async function selectRead(
  servers: AskedServers,
  measurement: Measurement,
  request: ReadRequest,
  oldest: bigint,
  signal: AbortSignal,
): Promise<SelectedRead | undefined> {
  const read = openRead(servers, measurement, request, oldest, signal)
  return read === undefined ? undefined : withSeries(read, await seriesOf(read))
}

function seriesOf({ servers, measurement, range, tags, signal }: OpenRead) {
  return selectSeries(servers, measurement, range, tags, signal)
}

/** undefined: there is nothing to read. */
function openRead(
  servers: AskedServers,
  measurement: Measurement,
  request: ReadRequest,
  oldest: bigint,
  signal: AbortSignal,
): OpenRead | undefined {
  // Before anything is read: a bad pattern is refused whatever is stored.
  matcher(request.predicate)
  const { window } = request
  const range = cutRange(request.range, oldest)
  const fields = window === undefined ? rowFields(measurement, request) : []
  if (window !== undefined) checkWindow(measurement, window)
  const isEveryRow = request.everyRow === true && window === undefined
  const isEmpty =
    window === undefined
      ? fields.length === 0 && !isEveryRow
      : computedFrom(measurement, window).length === 0
  if (isEmpty || range.start >= range.stop) return undefined
  const { tags, values } = splitPredicate(request.predicate, isTagPredicate)
  return { servers, measurement, request, range, values, signal, fields, tags }
}

function withSeries(read: OpenRead, series: SeriesList): SelectedRead {
  const { servers, measurement, request, tags } = read
  const { window } = request
  const isOneRowEach = window !== undefined && window.everyNs === undefined && isSql(read, window)
  const perRun = isOneRowEach ? seriesPerWideRunMax : servers.seriesPerStatementMax
  const keys =
    window?.groupBy === undefined
      ? eachSeries(series)
      : groupsOf(series, measurement.name, window.groupBy)
  return { ...read, runs: runsOf(series, keys, tags === undefined, perRun) }
}

export async function* readSelected(read: SelectedRead): AsyncGenerator<Batch, void, void> {
  const { window } = read.request
  for (const run of read.runs) {
    read.signal.throwIfAborted()
    if (window === undefined) yield* readRows(read, run, read.fields)
    else if (!isSql(read, window)) yield* readByPlainEngine(read, run)
    else if (run.ranked.numbers.length <= read.servers.seriesPerStatementMax) {
      yield* readWindows(read, run, window)
    } else yield* readWideWindows(read, run, window)
  }
}

function cutRange(range: TimeRange, oldest: bigint): TimeRange {
  const first = oldest > allTime.start ? oldest : allTime.start
  return {
    start: range.start > first ? range.start : first,
    stop: range.stop < allTime.stop ? range.stop : allTime.stop,
  }
}

/** Names without repeats that exist, in the order of the request. */
function rowFields({ fields }: Measurement, request: ReadRequest): PlacedField[] {
  const names = new Set(request.fields ?? [...fields.keys()].sort())
  return [...names].flatMap((name) => fields.get(name) ?? [])
}

function checkWindow({ fields }: Measurement, { aggregates }: WindowAggregate): void {
  for (const { field, function: fn } of aggregates) {
    const type = fields.get(field)?.type
    if (type !== undefined) checkAggregate(fn, field, type)
  }
}

/** Whether each place can decide by itself, and exactly, which of its rows count. */
function isSql({ measurement, values }: PlannedRead, window: WindowAggregate): boolean {
  const places = byPlace(computedFrom(measurement, window))
  // A row may have values in several places, and is one.
  if (countsRows(window) && places.length > 1) return false
  if (values === undefined) return true
  return places.every(({ place }) => {
    return valueCondition(values, placeFinder(measurement, place)).isExact
  })
}
