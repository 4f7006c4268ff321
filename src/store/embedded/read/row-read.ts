// A read of raw rows: what the merge brings is filtered, ordered and limited, and handed out as it
// lies or collected into batches.

import type { Batch, BatchField } from '../../../column/batch.js'
import type { ByteTableView } from '../../../column/byte-table.js'
import { RowMerger } from '../rows.js'
import { BatchBuilder } from './batch-builder.js'
import type { WholeGroup } from './cursor.js'
import type { Plan } from './plan.js'
import type { ReadStep, SteppedRead } from './read.js'
import { loadCluster, type SeriesMerge } from './series-merge.js'
import { Sifter } from './sifter.js'
import { Turn } from './turn.js'

export class RowRead implements SteppedRead {
  readonly #batches: Generator<Batch | 'pause', void, void>

  /** With `rowsTogether` rows are collected up to so many, and not handed out as they lie. */
  constructor(plan: Plan, keys: ByteTableView, merge: SeriesMerge, rowsTogether?: number) {
    this.#batches = rowBatches(plan, keys, merge, rowsTogether)
  }

  next(): ReadStep {
    return this.#batches.next().value as ReadStep
  }
}

function* rowBatches(
  plan: Plan,
  keys: ByteTableView,
  merge: SeriesMerge,
  rowsTogether: number | undefined,
): Generator<Batch | 'pause', void, void> {
  const wanted: BatchField[] = plan.names
    .slice(0, plan.wantedCount)
    .map((name, f) => ({ name, type: plan.types[f] }))
  const builder = new BatchBuilder(plan.measurement, wanted, keys, rowsTogether)
  const sifter = new Sifter(plan, keys, plan)
  const merger = new RowMerger(plan.types)
  const width = plan.names.length
  const turn = new Turn()
  while (merge.next()) {
    const { group, series, clusters } = merge
    if (group !== undefined) {
      if (turn.isOver(group.rows.rowCount * width)) yield 'pause'
      if (sifter.takesWholeGroups(group.rows)) yield* builder.addGroup(group)
      else yield* siftedGroup(group, sifter, builder, plan.limitPerSeries)
      continue
    }
    let room = plan.limitPerSeries
    for (const cluster of plan.descending ? clusters.toReversed() : clusters) {
      if (room <= 0) break
      // Where pieces overlap, a row that does not pass may still take a value from one that does.
      if (cluster.length === 1 && !sifter.mayPass(series, cluster[0])) {
        if (turn.isOver(0)) yield 'pause'
        continue
      }
      const loaded = loadCluster(cluster, merger)
      if (turn.isOver((loaded.stop - loaded.start) * width)) yield 'pause'
      const { rows, start, stop } = sifter.sift(series, loaded, room)
      room -= stop - start
      yield* builder.add(series, cluster[0].base, rows, start, stop)
    }
  }
  yield* builder.finish()
}

function* siftedGroup(
  group: WholeGroup,
  sifter: Sifter,
  builder: BatchBuilder,
  limitPerSeries: number,
): Generator<Batch, void, void> {
  const { rows, base, seriesIds, ends } = group
  for (let i = 0, start = 0; i < seriesIds.length; start = ends[i++]) {
    const sifted = sifter.sift(seriesIds[i], { rows, start, stop: ends[i] }, limitPerSeries)
    yield* builder.add(seriesIds[i], base, sifted.rows, sifted.start, sifted.stop)
  }
}
