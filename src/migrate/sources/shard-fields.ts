// Which fields a shard has and of which types, from its indexes alone. Series keys of all versions are read here into
// what the store takes.

import { compareUtf8, parseSeriesKey, type Series } from '../../column/series.js'
import type { DamageHandler } from '../../tsm/shard/field-stream.js'
import type { Layer } from '../../tsm/shard/layers.js'
import { addWeight, type FieldWeights } from '../plan/field-weights.js'
import { handleDamage } from './damage.js'

const separator = Buffer.from('#!~#')

/** Weighed by their pieces: a block each. */
export function countFields(
  layers: readonly Layer[],
  weights: FieldWeights,
  onDamage: DamageHandler,
): void {
  for (const layer of layers) {
    const cursor = layer.open()
    while (handleDamage(onDamage, () => cursor.next())) {
      const { key } = cursor
      const split = Buffer.from(key.buffer, key.byteOffset, key.length).indexOf(separator)
      if (split <= 0) continue
      const { measurement } = parseSeriesKey(key.subarray(0, split))
      const field = Buffer.from(key.subarray(split + separator.length)).toString('utf8')
      for (const { type } of cursor.pieces()) addWeight(weights, measurement, field, type, 1)
    }
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
