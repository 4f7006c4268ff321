// Merges cursors into one walk over series in key order. For each series, pieces that overlap in
// time are brought together and collapsed; pieces that do not, and whole groups that only one
// source has, pass through untouched.

import type { ByteTableView } from '../../../column/byte-table.js'
import { compareSeries } from '../key-order.js'
import type { RowMerger } from '../rows.js'
import type { LoadedRows, Piece, SeriesCursor, WholeGroup } from './cursor.js'

/** Pieces of one series whose times overlap, or a single one. */
export type Cluster = readonly Piece[]

export type MergeStep =
  | { readonly kind: 'group'; readonly group: WholeGroup }
  /** Clusters follow each other in time. */
  | { readonly kind: 'series'; readonly series: number; readonly clusters: readonly Cluster[] }

export function* mergeSeries(
  cursors: readonly SeriesCursor[],
  keys: ByteTableView,
): Generator<MergeStep, void, void> {
  let live = cursors.filter((cursor) => cursor.current >= 0)
  while (live.length > 0) {
    const { first, next } = firstAndNext(live, keys)
    const group = first.takeGroup(next)
    if (group !== undefined) yield { kind: 'group', group }
    else {
      const series = first.current
      const users = next === series ? live.filter((c) => c.current === series) : [first]
      yield { kind: 'series', series, clusters: clustersOf(users) }
      for (const cursor of users) cursor.advance()
    }
    if (live.some((cursor) => cursor.current < 0)) live = live.filter((c) => c.current >= 0)
  }
}

/** The cursor whose series comes first, and the series that comes first among the others (-1: no others). */
function firstAndNext(
  live: readonly SeriesCursor[],
  keys: ByteTableView,
): { first: SeriesCursor; next: number } {
  let first = live[0]
  let next = -1
  for (let i = 1; i < live.length; i++) {
    const cursor = live[i]
    if (compareSeries(keys, cursor.current, first.current) < 0) {
      next = first.current
      first = cursor
    } else if (next < 0 || compareSeries(keys, cursor.current, next) < 0) next = cursor.current
  }
  return { first, next }
}

function clustersOf(cursors: readonly SeriesCursor[]): Cluster[] {
  const pieces = cursors.flatMap((cursor) => cursor.pieces())
  if (pieces.length === 1) return [pieces]
  pieces.sort((a, b) => compareTimes(a.base, a.minOffset, b.base, b.minOffset))
  const clusters: Piece[][] = []
  let last: Piece[] | undefined
  let end: { base: bigint; offset: number } | undefined
  for (const piece of pieces) {
    if (
      last !== undefined &&
      end !== undefined &&
      compareTimes(piece.base, piece.minOffset, end.base, end.offset) <= 0
    ) {
      last.push(piece)
    } else {
      last = [piece]
      clusters.push(last)
      end = undefined
    }
    if (end === undefined || compareTimes(piece.base, piece.maxOffset, end.base, end.offset) > 0) {
      end = { base: piece.base, offset: piece.maxOffset }
    }
  }
  return clusters
}

function compareTimes(aBase: bigint, aOffset: number, bBase: bigint, bOffset: number): number {
  if (aBase === bBase) return aOffset - bOffset
  const difference = aBase + BigInt(aOffset) - (bBase + BigInt(bOffset))
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}

/** The rows of a cluster: as they lie, or brought together. Valid until the next cluster is loaded. */
export function loadCluster(cluster: Cluster, merger: RowMerger): LoadedRows {
  if (cluster.length === 1) return cluster[0].load()
  const { gathered } = merger
  gathered.clear()
  const byRank = cluster.toSorted((a, b) => a.rank - b.rank)
  for (const piece of byRank) {
    const { rows, start, stop } = piece.load()
    gathered.append(rows, start, stop)
  }
  const rows = merger.merge(gathered.rows())
  return { rows, start: 0, stop: rows.rowCount }
}
