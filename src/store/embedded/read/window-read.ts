// A read of window aggregates: what the merge brings goes into the aggregator, series by series, and
// its batches come out. Pieces that lie in one window are answered from their statistics, pieces of
// which no row passes the predicate are left out; neither is decoded.
//
// A class and not a generator: between two calls only the place among the clusters is to be kept, and
// most reads are over after one.

import { allTime } from '../../../column/time.js'
import type { WindowAggregate } from '../../store.js'
import type { SeriesKeyView } from '../index/series-key-table.js'
import { RowMerger } from '../rows/rows.js'
import type { Cluster } from './clusters.js'
import type { LoadedRows, Piece, WholeGroup } from './cursor.js'
import type { Plan } from './plan.js'
import { RowSelector } from './row-selector.js'
import { loadStretches, type SeriesMerge } from './series-merge.js'
import { type ReadStep, type SteppedRead, WorkMeter } from './stepped-read.js'
import { WindowAggregator } from './window.js'

const noClusters: readonly Cluster[] = []

export class WindowRead implements SteppedRead {
  readonly #plan: Plan
  readonly #merge: SeriesMerge
  readonly #aggregator: WindowAggregator
  readonly #selector: RowSelector | undefined
  readonly #work = new WorkMeter()
  /** Made when first needed: most reads never merge. */
  #merger: RowMerger | undefined
  /** Of the series under way, and the next of them. */
  #clusters = noClusters
  #at = 0
  #state: 'between series' | 'in a series' | 'over' = 'between series'

  constructor(plan: Plan, window: WindowAggregate, keys: SeriesKeyView, merge: SeriesMerge) {
    this.#plan = plan
    this.#merge = merge
    this.#aggregator = new WindowAggregator({
      window,
      range: plan.askedRange.start < allTime.start ? allTime : plan.askedRange,
      measurement: plan.measurement,
      keys,
      columns: plan.names,
      types: plan.types,
      seriesCount: plan.series?.length,
      descending: plan.descending,
      limitPerSeries: plan.limitPerSeries,
      groupKey: plan.groupKey,
      countsWindows: plan.countsWindows,
    })
    // Order and limit count windows here, not rows.
    this.#selector =
      plan.rowPredicate === undefined
        ? undefined
        : new RowSelector(plan, keys, { descending: false, limitPerSeries: Infinity })
  }

  next(): ReadStep {
    for (;;) {
      const batch = this.#aggregator.takeReady()
      if (batch !== undefined || this.#state === 'over') return batch
      const isPauseDue = this.#state === 'in a series' ? this.#nextCluster() : this.#nextSeries()
      if (isPauseDue) return 'pause'
    }
  }

  /** True, as below: it is time to let others run. */
  #nextSeries(): boolean {
    if (!this.#merge.next()) {
      this.#aggregator.finish()
      this.#state = 'over'
      return false
    }
    const { group, series, clusters } = this.#merge
    if (group !== undefined) return this.#addGroup(group)
    this.#aggregator.beginSeries(series)
    this.#clusters = this.#aggregator.takesNewestFirst ? clusters.toReversed() : clusters
    this.#at = 0
    this.#state = 'in a series'
    return false
  }

  #nextCluster(): boolean {
    if (this.#at === this.#clusters.length || this.#aggregator.isSettled) {
      this.#aggregator.endSeries()
      this.#state = 'between series'
      return false
    }
    const cluster = this.#clusters[this.#at++]
    if (cluster.length === 1 && this.#isKnown(cluster[0])) return this.#work.isDue(0)
    if (cluster.length === 1 && this.#isSettledBy(cluster[0])) return this.#work.isDue(0)
    if (cluster.length > 1) return this.#addOverlapping(cluster)
    const loaded = cluster[0].load(this.#selector !== undefined)
    this.#addRows(this.#merge.series, cluster[0].base, loaded)
    return this.#work.isDue((loaded.stop - loaded.start) * this.#plan.names.length)
  }

  #addOverlapping(cluster: Cluster): boolean {
    this.#merger ??= new RowMerger(this.#plan.types)
    const stretches = loadStretches(cluster, this.#merger)
    // Where the newest come first, what is brought together is one stretch of the same.
    const inOrder = this.#aggregator.takesNewestFirst ? stretches.toReversed() : stretches
    let rowCount = 0
    for (const stretch of inOrder) {
      if (this.#aggregator.isSettled) break
      rowCount += stretch.stop - stretch.start
      this.#addRows(this.#merge.series, cluster[0].base, stretch)
    }
    return this.#work.isDue(rowCount * this.#plan.names.length)
  }

  /** Whether the newest rows of a piece are enough for the last values. */
  #isSettledBy(piece: Piece): boolean {
    if (!this.#aggregator.takesNewestFirst || this.#selector !== undefined) return false
    this.#aggregator.addRows(piece.base, piece.loadEnd(true, 1, false))
    return this.#aggregator.isSettled
  }

  #addGroup({ rows, base, seriesIds, ends }: WholeGroup): boolean {
    for (let i = 0, start = 0; i < seriesIds.length; start = ends[i++]) {
      this.#aggregator.beginSeries(seriesIds[i])
      this.#addRows(seriesIds[i], base, { rows, start, stop: ends[i] })
      this.#aggregator.endSeries()
    }
    return this.#work.isDue(rows.rowCount * this.#plan.names.length)
  }

  #addRows(series: number, base: bigint, loaded: LoadedRows): void {
    const selector = this.#selector
    this.#aggregator.addRows(
      base,
      selector === undefined ? loaded : selector.select(series, loaded, Infinity),
    )
  }

  /** Whether a piece needs no decoding: its statistics answer for it, or none of its rows passes. */
  #isKnown(piece: Piece): boolean {
    const selector = this.#selector
    if (selector === undefined) return this.#aggregator.addStatistics(piece)
    return !selector.mayPass(this.#merge.series, piece)
  }
}
