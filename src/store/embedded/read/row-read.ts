// A read of raw rows: what the merge brings is filtered, ordered and limited, and handed out as it
// lies or collected into batches.

import type { Batch, BatchField } from '../../../column/batch.js'
import type { SeriesKeyView } from '../index/series-key-table.js'
import { RowMerger } from '../rows/rows.js'
import { BatchBuilder } from './batch-builder.js'
import type { LoadedRows, Piece, WholeGroup } from './cursor.js'
import type { Plan } from './plan.js'
import { RowSelector } from './row-selector.js'
import { loadCluster, type SeriesMerge } from './series-merge.js'
import { type ReadStep, type SteppedRead, WorkMeter } from './stepped-read.js'

/** Ends of pieces with fewer rows cost what the pieces cost. */
const longMin = 32

export class RowRead implements SteppedRead {
  readonly #batches: Generator<Batch | 'pause', void, void>

  /** With `rowsTogether` rows are collected up to so many, and not handed out as they lie. */
  constructor(plan: Plan, keys: SeriesKeyView, merge: SeriesMerge, rowsTogether?: number) {
    this.#batches = rowBatches(plan, keys, merge, rowsTogether)
  }

  next(): ReadStep {
    return this.#batches.next().value as ReadStep
  }
}

function* rowBatches(
  plan: Plan,
  keys: SeriesKeyView,
  merge: SeriesMerge,
  rowsTogether: number | undefined,
): Generator<Batch | 'pause', void, void> {
  const wanted: BatchField[] = plan.names
    .slice(0, plan.wantedCount)
    .map((name, f) => ({ name, type: plan.types[f] }))
  const builder = new BatchBuilder(plan.measurement, wanted, keys, rowsTogether)
  const selector = new RowSelector(plan, keys, plan)
  const merger = new RowMerger(plan.types)
  const width = plan.names.length
  const work = new WorkMeter()
  // A condition that few rows pass is asked of its own columns first, and of all rows.
  const looksAtEnds = selector.passesMost
  while (merge.next()) {
    const { group, series, clusters } = merge
    if (group !== undefined) {
      if (work.isDue(group.rows.rowCount * width)) yield 'pause'
      if (selector.takesWholeGroups(group.rows)) yield* builder.addGroup(group)
      else yield* selectedGroup(group, selector, builder, plan.limitPerSeries)
      continue
    }
    let room = plan.limitPerSeries
    for (const cluster of plan.descending ? clusters.toReversed() : clusters) {
      if (room <= 0) break
      const isAlone = cluster.length === 1
      const isEnd = looksAtEnds && isAlone && isLong(cluster[0], room)
      let loaded = isEnd ? cluster[0].loadEnd(plan.descending, room) : undefined
      let selected = loaded && selector.select(series, loaded, room)
      if (loaded === undefined || selected === undefined || rowsOf(selected) < room) {
        // Where pieces overlap, a row that does not pass may still take a value from one that does.
        if (isAlone && !selector.mayPass(series, cluster[0])) {
          if (work.isDue(0)) yield 'pause'
          continue
        }
        loaded = loadCluster(cluster, merger)
        selected = selector.select(series, loaded, room)
      }
      if (work.isDue(rowsOf(loaded) * width)) yield 'pause'
      const { rows, start, stop } = selected
      room -= stop - start
      yield* builder.add(series, cluster[0].base, rows, start, stop)
    }
  }
  yield* builder.finish()
}

function rowsOf({ start, stop }: LoadedRows): number {
  return stop - start
}

/** Whether an end of a piece may well have the rows that are wanted of it, at less than all of it costs. */
function isLong({ rowsMax }: Piece, wanted: number): boolean {
  return rowsMax > longMin && rowsMax > 2 * wanted
}

function* selectedGroup(
  group: WholeGroup,
  selector: RowSelector,
  builder: BatchBuilder,
  limitPerSeries: number,
): Generator<Batch, void, void> {
  const { rows, base, seriesIds, ends } = group
  for (let i = 0, start = 0; i < seriesIds.length; start = ends[i++]) {
    const selected = selector.select(seriesIds[i], { rows, start, stop: ends[i] }, limitPerSeries)
    yield* builder.add(seriesIds[i], base, selected.rows, selected.start, selected.stop)
  }
}
