// Reading: cursors over memtables and segments are merged series by series, and the rows pass
// through filter, order and limit, or into window aggregates, and out as batches. The same code
// runs where the request came in and on the threads that share a big scan.

import { setImmediate } from 'node:timers/promises'
import type { Batch, BatchField } from '../../../column/batch.js'
import type { ByteTableView } from '../../../column/byte-table.js'
import { allTime } from '../../../column/time.js'
import { RowMerger } from '../rows.js'
import { BatchBuilder } from './batch-builder.js'
import type { LoadedRows, Piece } from './cursor.js'
import type { Plan } from './plan.js'
import { noBounds, type SeriesBounds } from './selection.js'
import { loadCluster, type MergeStep, mergeSeries } from './series-merge.js'
import { Sifter } from './sifter.js'
import { makeCursors, type Source } from './sources.js'
import { WindowAggregator } from './window.js'

/** Values decoded between two looks at the event loop: about 10 ms. */
const valuesPerTurn = 2_000_000

/** What a step costs beside its values, told in values: a series, its pieces, a block answered from statistics. */
const valuesPerStep = 500

/** Counts up to the end of a turn. */
class Turn {
  #work = 0

  /** True where it is time to let others run. */
  isOver(valueCount: number): boolean {
    this.#work += valueCount + valuesPerStep
    if (this.#work < valuesPerTurn) return false
    this.#work = 0
    return true
  }
}

export interface PartOptions {
  /** Only series within these. */
  readonly bounds: SeriesBounds
  /** Raw rows are collected up to so many, and not handed out as they lie. */
  readonly rowsTogether?: number
}

/** Carries out a plan. The signal is looked at between turns. */
export function readSources(
  plan: Plan,
  sources: readonly Source[],
  keys: ByteTableView,
  signal: AbortSignal,
  { bounds, rowsTogether }: PartOptions = { bounds: noBounds },
): AsyncIterableIterator<Batch> {
  signal.throwIfAborted()
  const steps = mergeSeries(makeCursors(sources, plan, keys, bounds), keys)
  const batches =
    plan.window === undefined
      ? rowBatches(plan, keys, steps, rowsTogether)
      : windowBatches(plan, plan.window, keys, steps)
  return new TurnByTurn(batches, signal)
}

/**
 * Batches that are made at once, unless it is time to let others run. Not a generator: a small read is over in some ten
 * microseconds, and each async generator on its way costs several.
 */
class TurnByTurn implements AsyncIterableIterator<Batch> {
  readonly #batches: Generator<Batch | undefined, void, void>
  readonly #signal: AbortSignal

  constructor(batches: Generator<Batch | undefined, void, void>, signal: AbortSignal) {
    this.#batches = batches
    this.#signal = signal
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  next(): Promise<IteratorResult<Batch, undefined>> {
    try {
      const { done, value } = this.#batches.next()
      if (done === true) return Promise.resolve({ done, value: undefined })
      if (value !== undefined) return Promise.resolve({ done: false, value })
    } catch (error) {
      return Promise.reject(error)
    }
    return this.#nextTurn()
  }

  async #nextTurn(): Promise<IteratorResult<Batch, undefined>> {
    await setImmediate()
    this.#signal.throwIfAborted()
    return this.next()
  }

  return(): Promise<IteratorResult<Batch, undefined>> {
    this.#batches.return()
    return Promise.resolve({ done: true, value: undefined })
  }
}

/** Undefined now and then: nothing to hand out, but a good moment to let others run. */
function* rowBatches(
  plan: Plan,
  keys: ByteTableView,
  steps: Iterable<MergeStep>,
  rowsTogether: number | undefined,
): Generator<Batch | undefined, void, void> {
  const wanted: BatchField[] = plan.names
    .slice(0, plan.wantedCount)
    .map((name, f) => ({ name, type: plan.types[f] }))
  const builder = new BatchBuilder(plan.measurement, wanted, keys, rowsTogether)
  const sifter = new Sifter(plan, keys, plan)
  const merger = new RowMerger(plan.types)
  const width = plan.names.length
  const turn = new Turn()
  for (const step of steps) {
    if (step.kind === 'group') {
      if (turn.isOver(step.group.rows.rowCount * width)) yield undefined
      if (sifter.takesWholeGroups(step.group.rows)) yield* builder.addGroup(step.group)
      else {
        let start = 0
        for (let i = 0; i < step.group.seriesIds.length; i++) {
          const loaded = { rows: step.group.rows, start, stop: step.group.ends[i] }
          start = loaded.stop
          const series = step.group.seriesIds[i]
          const sifted = sifter.sift(series, loaded, plan.limitPerSeries)
          yield* builder.add(series, step.group.base, sifted.rows, sifted.start, sifted.stop)
        }
      }
    } else {
      const ordered = plan.descending ? step.clusters.toReversed() : step.clusters
      let room = plan.limitPerSeries
      for (const cluster of ordered) {
        if (room <= 0) break
        // Where pieces overlap, a row that does not pass may still take a value from one that does.
        if (cluster.length === 1 && !sifter.mayPass(step.series, cluster[0])) {
          if (turn.isOver(0)) yield undefined
          continue
        }
        const loaded = loadCluster(cluster, merger)
        if (turn.isOver((loaded.stop - loaded.start) * width)) yield undefined
        const { rows, start, stop } = sifter.sift(step.series, loaded, room)
        room -= stop - start
        yield* builder.add(step.series, cluster[0].base, rows, start, stop)
      }
    }
  }
  yield* builder.finish()
}

function* windowBatches(
  plan: Plan,
  window: NonNullable<Plan['window']>,
  keys: ByteTableView,
  steps: Iterable<MergeStep>,
): Generator<Batch | undefined, void, void> {
  const aggregator = new WindowAggregator({
    window,
    range: plan.askedRange.start < allTime.start ? allTime : plan.askedRange,
    measurement: plan.measurement,
    keys,
    columns: plan.names.map((name, f) => ({ name, type: plan.types[f] })),
    descending: plan.descending,
    limitPerSeries: plan.limitPerSeries,
  })
  // Order and limit count windows here, not rows.
  const sifter =
    plan.rowPredicate === undefined
      ? undefined
      : new Sifter(plan, keys, { descending: false, limitPerSeries: Infinity })
  const addRows = (series: number, base: bigint, loaded: LoadedRows) =>
    aggregator.addRows(base, sifter === undefined ? loaded : sifter.sift(series, loaded, Infinity))
  const merger = new RowMerger(plan.types)
  const width = plan.names.length
  const turn = new Turn()
  for (const step of steps) {
    if (step.kind === 'group') {
      if (turn.isOver(step.group.rows.rowCount * width)) yield undefined
      const { rows, base, seriesIds, ends } = step.group
      for (let i = 0, start = 0; i < seriesIds.length; start = ends[i++]) {
        aggregator.beginSeries(seriesIds[i])
        addRows(seriesIds[i], base, { rows, start, stop: ends[i] })
        aggregator.endSeries()
      }
    } else {
      aggregator.beginSeries(step.series)
      const { clusters } = step
      for (const cluster of aggregator.takesNewestFirst ? clusters.toReversed() : clusters) {
        if (aggregator.isSettled) break
        const [piece] = cluster
        if (cluster.length === 1 && isKnown(step.series, piece, aggregator, sifter)) {
          if (turn.isOver(0)) yield undefined
          continue
        }
        const loaded = loadCluster(cluster, merger)
        if (turn.isOver((loaded.stop - loaded.start) * width)) yield undefined
        addRows(step.series, piece.base, loaded)
        yield* aggregator.takeReady()
      }
      aggregator.endSeries()
    }
    yield* aggregator.takeReady()
  }
  yield* aggregator.finish()
}

/** Whether a piece needs no decoding: its statistics answer for it, or none of its rows passes. */
function isKnown(
  series: number,
  piece: Piece,
  aggregator: WindowAggregator,
  sifter: Sifter | undefined,
): boolean {
  return sifter === undefined ? aggregator.addStatistics(piece) : !sifter.mayPass(series, piece)
}
