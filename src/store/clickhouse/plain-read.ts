// Windows over rows that SQL cannot choose exactly: their points are read, series by series or group by group, and
// the plain engine answers from them. Bounded by what the query may hold.

import type { Batch } from '../../column/batch.js'
import type { Value } from '../../column/column.js'
import { seriesKey } from '../../column/series.js'
import { UserError } from '../../errors.js'
import { PlainMeasurement, type PlainSeries } from '../plain/points.js'
import { readMeasurement } from '../plain/read.js'
import { computedFrom, type PlannedRead, type Run } from './planned-read.js'
import { fieldsIn, joinedRows, openPlaces } from './row-read.js'
import { byPlace } from './statements.js'

/** A value in maps takes about so much. */
const valueBytes = 100
const bytesMax = 512 * 1024 * 1024

export async function* readByPlainEngine(
  plan: PlannedRead,
  run: Run,
): AsyncGenerator<Batch, void, void> {
  const { measurement, request, values } = plan
  const looked = fieldsIn(values, measurement)
  const aggregated = request.window === undefined ? [] : computedFrom(measurement, request.window)
  const needed = [...new Set([...aggregated, ...looked])]
  // Each member has a rank of its own here: its points must be told from those of the others.
  const ranked = { ...run.ranked, ranks: run.ranked.ranks.map((_, i) => i) }
  const places = byPlace(needed)
  const streams = await openPlaces(plan, { ...run, ranked }, places)
  let group = new Group(plan)
  let rank = -1
  let at = -1
  let member: PlainSeries['series'] | undefined
  try {
    for await (const next of joinedRows(streams, places, false)) {
      // Rows of a member come one after the other.
      if (next.rank !== at) [at, member] = [next.rank, run.series(next.rank)]
      if (run.ranked.ranks[next.rank] !== rank) {
        yield* group.batches(run.firstRank + rank)
        group = new Group(plan)
        rank = run.ranked.ranks[next.rank]
      }
      group.add(seriesKey(member!), member!, next.time, next.row)
    }
    yield* group.batches(run.firstRank + rank)
  } finally {
    await Promise.all(streams.map((stream) => stream.close()))
  }
}

class Group {
  readonly #plan: PlannedRead
  readonly #measurement: PlainMeasurement
  #valueCount = 0

  constructor(plan: PlannedRead) {
    this.#plan = plan
    this.#measurement = new PlainMeasurement(plan.measurement.name, 1)
    for (const { name, type } of plan.measurement.fields.values()) {
      this.#measurement.fields.set(name, type)
    }
  }

  add(key: string, series: PlainSeries['series'], time: bigint, row: ReadonlyMap<string, Value>) {
    this.#valueCount += 1 + row.size
    const most = this.#plan.request.memoryBytesMax || bytesMax
    if (this.#valueCount * valueBytes > most) {
      throw new UserError('invalid', `the query needs more than ${most} bytes of memory`)
    }
    const own = this.#measurement.series.get(key) ?? { key, series, rows: new Map() }
    this.#measurement.series.set(key, own)
    own.rows.set(time, new Map(row))
  }

  *batches(keyId: number): Generator<Batch, void, void> {
    const { request, range } = this.#plan
    for (const batch of readMeasurement(this.#measurement, request, range.start)) {
      yield { ...batch, runs: batch.runs.map((run) => ({ ...run, keyId })) }
    }
  }
}
