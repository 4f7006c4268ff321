// The points of one field of one series from all layers, in time order, as chunks that do not overlap. Pieces that
// overlap in time are decoded together and merged, later layers winning; all others pass through one by one, so that
// memory holds a block per field and not a series.

import type { FieldType } from '../../column/column.js'
import type { TimeRange } from '../../column/time.js'
import { CorruptionError } from '../../errors.js'
import type { DecodedPoints } from '../encoding/block.js'
import type { Piece } from './layers.js'
import { convertPoints, findOffset, mergePoints, slicePoints, withoutRange } from './points.js'

/** A block whose moments lie closer together than this is decoded without bigint. */
const narrowNs = 2n ** 52n

/** What a reader does about a block that cannot be read: throw it, or note it and go on. */
export type DamageHandler = (damage: CorruptionError) => void

export class FieldStream {
  readonly type: FieldType
  /** By their first moment; among those with the same one, in the order of layers. */
  readonly #pieces: readonly { readonly piece: Piece; readonly layer: number }[]
  readonly #range: TimeRange
  readonly #onDamage: DamageHandler
  #at = 0

  /** `pieces` in the order of layers. Only points within `range` come, told from its start. */
  constructor(
    type: FieldType,
    pieces: readonly Piece[],
    range: TimeRange,
    onDamage: DamageHandler,
  ) {
    this.type = type
    this.#range = range
    this.#onDamage = onDamage
    const { start, stop } = range
    const inside: { readonly piece: Piece; readonly layer: number }[] = []
    let isSorted = true
    for (let layer = 0; layer < pieces.length; layer++) {
      const piece = pieces[layer]
      if (piece.max < start || piece.min >= stop) continue
      if (inside.length > 0 && piece.min < inside[inside.length - 1].piece.min) isSorted = false
      inside.push({ piece, layer })
    }
    if (!isSorted) inside.sort((a, b) => compare(a.piece.min, b.piece.min) || a.layer - b.layer)
    this.#pieces = inside
  }

  /** Never empty; undefined at the end. */
  next(): DecodedPoints | undefined {
    while (this.#at < this.#pieces.length) {
      const cluster = this.#cluster()
      let merged: DecodedPoints | undefined
      for (const { piece } of cluster) {
        const points = this.#load(piece)
        if (points === undefined) continue
        merged = merged === undefined ? points : mergePoints(merged, points)
      }
      if (merged !== undefined && merged.offsets.length > 0) return merged
    }
    return undefined
  }

  /** The next piece and all that overlap with it, or with one of those, in the order of layers. */
  #cluster() {
    const start = this.#at
    let max = this.#pieces[start].piece.max
    this.#at++
    while (this.#at < this.#pieces.length && this.#pieces[this.#at].piece.min <= max) {
      const next = this.#pieces[this.#at].piece.max
      if (next > max) max = next
      this.#at++
    }
    const cluster = this.#pieces.slice(start, this.#at)
    return cluster.length === 1 ? cluster : cluster.sort((a, b) => a.layer - b.layer)
  }

  #load(piece: Piece): DecodedPoints | undefined {
    const { start, stop } = this.#range
    const { min, max, deleted } = piece
    if (deleted.some((range) => range.min <= min && range.max >= max)) return undefined
    let points: DecodedPoints
    try {
      points = piece.load(start, max - min < narrowNs)
    } catch (error) {
      if (!(error instanceof CorruptionError)) throw error
      this.#onDamage(error)
      return undefined
    }
    const { offsets } = points
    const from = min < start ? findOffset(offsets, 0) : 0
    const to = max >= stop ? findOffset(offsets, Number(stop - start)) : offsets.length
    points = convertPoints(slicePoints(points, from, to), this.type)
    for (const range of deleted) {
      if (range.max < min || range.min > max) continue
      points = withoutRange(points, Number(range.min - start), Number(range.max - start))
    }
    return points
  }
}

function compare(a: bigint, b: bigint): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
