// Pieces of a series that overlap in time, brought into clusters that follow each other: a few late
// points make a piece reach far back, and only where two pieces really lie side by side are rows to be merged. What
// lies before, between and behind passes through as it is.

import type { Piece } from './cursor.js'

/** Pieces of one series whose times overlap, or a single one. */
export type Cluster = readonly Piece[]

/** More pieces on one heap are merged as they are. */
const splitPiecesMax = 64

/** So are pieces of fewer rows: to merge them costs less than to look where they can be cut. */
const splitRowsMin = 1024

export function clustersOf(pieces: Piece[]): Cluster[] {
  if (!followEachOther(pieces)) return overlapping(pieces)
  const clusters: Cluster[] = []
  for (let i = 0; i < pieces.length; i++) clusters.push([pieces[i]])
  return clusters
}

/** As pieces nearly always do: one segment after the other was written, and each has them in order. */
function followEachOther(pieces: readonly Piece[]): boolean {
  for (let i = 1; i < pieces.length; i++) {
    const before = pieces[i - 1]
    const { base, minOffset } = pieces[i]
    if (compareTimes(before.base, before.maxOffset, base, minOffset) >= 0) return false
  }
  return true
}

function overlapping(pieces: Piece[]): Cluster[] {
  pieces.sort((a, b) => compareTimes(a.base, a.minOffset, b.base, b.minOffset))
  const clusters: Cluster[] = []
  let heap: Piece[] = []
  for (const piece of pieces) {
    if (heap.length > 0 && !heap.some((other) => reaches(other, piece))) {
      addClusters(clusters, heap)
      heap = []
    }
    heap.push(piece)
  }
  addClusters(clusters, heap)
  return clusters
}

/** Whether a piece goes on when another begins. */
function reaches(one: Piece, other: Piece): boolean {
  return compareTimes(one.base, one.maxOffset, other.base, other.minOffset) >= 0
}

function compareTimes(aBase: bigint, aOffset: number, bBase: bigint, bOffset: number): number {
  if (aBase === bBase) return aOffset - bOffset
  const difference = aBase + BigInt(aOffset) - (bBase + BigInt(bOffset))
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}

/** Pieces from one moment to another, the last one included. */
interface Zone {
  readonly min: number
  max: number
  pieces: Piece[]
}

/** Cuts a heap of pieces where one of them is alone. */
function addClusters(clusters: Cluster[], heap: Piece[]): void {
  if (!isWorthSplitting(heap)) {
    clusters.push(heap)
    return
  }
  for (const { min, max, pieces } of zonesOf(heap)) {
    clusters.push(pieces.map((piece) => within(piece, min, max)))
  }
}

function isWorthSplitting(heap: readonly Piece[]): boolean {
  if (heap.length === 1 || heap.length > splitPiecesMax) return false
  const [{ base }] = heap
  if (heap.some((piece) => piece.base !== base)) return false
  return heap.reduce((sum, { rowsMax }) => sum + rowsMax, 0) >= splitRowsMin
}

function within(piece: Piece, min: number, max: number): Piece {
  const from = Math.max(min, piece.minOffset)
  const to = Math.min(max, piece.maxOffset)
  return from === piece.minOffset && to === piece.maxOffset ? piece : piece.part(from, to)
}

/** Stretches of time with one piece, and between them those with several. */
function zonesOf(heap: readonly Piece[]): Zone[] {
  const cuts = new Set<number>()
  for (const { minOffset, maxOffset } of heap) cuts.add(minOffset).add(maxOffset + 1)
  const moments = [...cuts].sort((a, b) => a - b)
  const zones: Zone[] = []
  for (let i = 0; i + 1 < moments.length; i++) {
    const [min, max] = [moments[i], moments[i + 1] - 1]
    const pieces = heap.filter((piece) => piece.minOffset <= min && piece.maxOffset >= max)
    if (pieces.length > 0) addZone(zones, { min, max, pieces })
  }
  return zones
}

/** Zones with several pieces become one, and so do those of the same piece. */
function addZone(zones: Zone[], zone: Zone): void {
  const last = zones.at(-1)
  const [piece] = zone.pieces
  const isAlone = zone.pieces.length === 1
  const goesOn =
    last !== undefined &&
    (isAlone
      ? last.pieces.length === 1 && last.pieces[0] === piece
      : last.pieces.length > 1 && last.max + 1 === zone.min)
  if (!goesOn) {
    zones.push(zone)
    return
  }
  last.max = zone.max
  for (const each of zone.pieces) if (!last.pieces.includes(each)) last.pieces.push(each)
}
