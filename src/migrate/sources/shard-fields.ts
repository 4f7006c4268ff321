// Which fields a shard has, of which types and about how many values, from its indexes and some of its blocks. Series
// keys of all versions are read here into what the store takes.

import { compareUtf8, parseSeriesKey, type Series } from '../../column/series.js'
import { CorruptionError } from '../../errors.js'
import type { DamageHandler } from '../../tsm/shard/field-stream.js'
import type { Layer, Piece } from '../../tsm/shard/layers.js'
import { addWeight, addWeights, type FieldWeights } from '../plan/field-weights.js'
import { handleDamage } from './damage.js'

const separator = Buffer.from('#!~#')

/** Of each layer's keys the first ones are counted, and then every so many. */
const countedKeys = 256
const countedEvery = 64

/** Weighed by their values. Of a few keys they are counted; the pieces of the others hold as many on average. */
export function countFields(
  layers: readonly Layer[],
  weights: FieldWeights,
  onDamage: DamageHandler,
): void {
  for (const layer of layers) {
    const pieceWeights: FieldWeights = new Map()
    const counted = { pieces: 0, values: 0 }
    const cursor = layer.open()
    for (let i = 0; handleDamage(onDamage, () => cursor.next()); i++) {
      const { key } = cursor
      const split = Buffer.from(key.buffer, key.byteOffset, key.length).indexOf(separator)
      if (split <= 0) continue
      const { measurement } = parseSeriesKey(key.subarray(0, split))
      const field = Buffer.from(key.subarray(split + separator.length)).toString('utf8')
      const pieces = cursor.pieces()
      for (const { type } of pieces) addWeight(pieceWeights, measurement, field, type, 1)
      if (i >= countedKeys && i % countedEvery !== 0) continue
      counted.pieces += pieces.length
      counted.values += valuesOf(pieces)
    }
    addWeights(weights, pieceWeights, counted.values / counted.pieces || 1)
  }
}

/** All pieces of a key but its last are filled alike. */
function valuesOf(pieces: readonly Piece[]): number {
  const last = pieces.length - 1
  if (last <= 0) return last < 0 ? 0 : countOf(pieces[0])
  return countOf(pieces[0]) * last + countOf(pieces[last])
}

/** A damaged piece is told when its points are read. */
function countOf(piece: Piece): number {
  try {
    return piece.count()
  } catch (error) {
    if (!(error instanceof CorruptionError)) throw error
    return 1
  }
}

/** Tags sorted and each of them once, as every key of the store has them. */
export function splitKey({ measurement, tags }: Series): Series {
  const sorted = [...tags].sort((a, b) => compareUtf8(a.key, b.key))
  const unique = sorted.filter(
    ({ key, value }, i) => value !== '' && key !== '' && sorted[i + 1]?.key !== key,
  )
  return { measurement, tags: unique }
}
