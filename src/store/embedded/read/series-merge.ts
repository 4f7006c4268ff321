// Merges cursors into one that goes over all series in key order. For each series, pieces that overlap in
// time are brought together and collapsed; pieces that do not, and whole groups that only one
// source has, pass through untouched.

import { compareSeries } from '../index/key-order.js'
import type { SeriesKeyView } from '../index/series-key-table.js'
import type { RowMerger } from '../rows/rows.js'
import { type Cluster, clustersOf } from './clusters.js'
import type { LoadedRows, Piece, SeriesCursor, WholeGroup } from './cursor.js'
import { stretchesOf } from './stretches.js'

const nobody: readonly SeriesCursor[] = []
const noClusters: readonly Cluster[] = []

/**
 * One step after the other: a whole group, or a series and its clusters. A class and not a generator, with its step in
 * fields: a small read takes one step, and neither an iterator nor an object for the step is to be made for it.
 */
export class SeriesMerge {
  /** The step, when it is a group. */
  group: WholeGroup | undefined
  /** The step otherwise. Clusters follow each other in time. */
  series = -1
  clusters = noClusters
  readonly #keys: SeriesKeyView
  /** Those that have series left. */
  #live: readonly SeriesCursor[]
  /** Those that stand at the step's series, and are moved when the next step is taken. */
  #users = nobody

  constructor(cursors: readonly SeriesCursor[], keys: SeriesKeyView) {
    this.#live = cursors
    this.#keys = keys
  }

  /** Takes the next step; false: there is none. */
  next(): boolean {
    for (let i = 0; i < this.#users.length; i++) this.#users[i].advance()
    this.#users = nobody
    this.#dropEnded()
    if (this.#live.length === 0) return false
    const first = this.#live.length === 1 ? this.#live[0] : this.#first()
    const before = this.#live.length === 1 ? -1 : this.#secondSeries(first)
    this.group = first.takeGroup(before)
    if (this.group !== undefined) return true
    const series = first.current
    this.#users =
      this.#live.length === 1
        ? this.#live
        : before === series
          ? this.#live.filter(({ current }) => current === series)
          : [first]
    this.series = series
    this.clusters = clustersAt(this.#users)
    return true
  }

  #dropEnded(): void {
    for (let i = 0; i < this.#live.length; i++) {
      if (this.#live[i].current >= 0) continue
      this.#live = this.#live.filter(({ current }) => current >= 0)
      return
    }
  }

  /** The cursor whose series comes first. */
  #first(): SeriesCursor {
    let first = this.#live[0]
    for (let i = 1; i < this.#live.length; i++) {
      const cursor = this.#live[i]
      if (compareSeries(this.#keys, cursor.current, first.current) < 0) first = cursor
    }
    return first
  }

  /** The series that comes first among the other cursors. */
  #secondSeries(first: SeriesCursor): number {
    let second = -1
    for (let i = 0; i < this.#live.length; i++) {
      const cursor = this.#live[i]
      if (cursor === first) continue
      if (cursor.current === first.current) return cursor.current
      if (second < 0 || compareSeries(this.#keys, cursor.current, second) < 0) {
        second = cursor.current
      }
    }
    return second
  }
}

function clustersAt(cursors: readonly SeriesCursor[]): Cluster[] {
  const pieces: Piece[] = []
  for (let i = 0; i < cursors.length; i++) cursors[i].addPieces(pieces)
  return clustersOf(pieces)
}

/** The rows of a cluster: as they lie, or brought together. Valid until the next cluster is loaded. */
export function loadCluster(cluster: Cluster, merger: RowMerger): LoadedRows {
  if (cluster.length === 1) return cluster[0].load()
  const { gathered } = merger
  gathered.clear()
  for (const piece of byRank(cluster)) {
    const { rows, start, stop } = piece.load()
    gathered.append(rows, start, stop)
  }
  return merged(merger)
}

/** The same as stretches that follow each other in time, without bringing them together where that can be. */
export function loadStretches(cluster: Cluster, merger: RowMerger): readonly LoadedRows[] {
  const pieces = byRank(cluster)
  // What a cursor has loaded is good until it loads another piece.
  const isEachOfOne = pieces.every((piece, i) => i === 0 || piece.rank > pieces[i - 1].rank)
  if (!isEachOfOne) return [loadCluster(cluster, merger)]
  const loaded: LoadedRows[] = []
  for (const piece of pieces) {
    const rows = piece.load()
    if (rows.stop > rows.start) loaded.push(rows)
  }
  const stretches = stretchesOf(loaded)
  if (stretches !== undefined) return stretches
  const { gathered } = merger
  gathered.clear()
  for (const { rows, start, stop } of loaded) gathered.append(rows, start, stop)
  return [merged(merger)]
}

/** Later writes last. */
function byRank(cluster: Cluster): Piece[] {
  return cluster.toSorted((a, b) => a.rank - b.rank)
}

function merged(merger: RowMerger): LoadedRows {
  const rows = merger.merge(merger.gathered.rows())
  return { rows, start: 0, stop: rows.rowCount }
}
