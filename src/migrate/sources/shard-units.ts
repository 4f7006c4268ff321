// A shard of InfluxDB 1.x as a unit of a migration, however its files are got at: its fields with what they weigh, and
// its points as the plan wants them.

import type { FieldType } from '../../column/column.js'
import { parseSeriesKey, seriesKey } from '../../column/series.js'
import type { WriteBatch } from '../../column/write-batch.js'
import type { DamageHandler } from '../../tsm/shard/field-stream.js'
import { readShard, type SeriesTarget } from '../../tsm/shard/shard-reader.js'
import type { FieldWeights } from '../plan/field-weights.js'
import type { SourcePolicy, UnitRequest } from '../plan/source.js'
import { countFields, splitKey } from './shard-fields.js'
import type { OpenShard } from './shard-folder.js'

export type OpenUnit = (
  id: string,
  onDamage: DamageHandler,
  onBytes: (bytes: number) => void,
) => Promise<OpenShard>

export async function shardFields(
  open: OpenUnit,
  policy: SourcePolicy,
  onDamage: DamageHandler,
): Promise<FieldWeights> {
  const weights: FieldWeights = new Map()
  for (const { id } of policy.units) {
    const shard = await open(id, onDamage, () => {})
    countFields(shard.layers, weights, onDamage)
    await shard.close()
  }
  return weights
}

export async function* shardPoints(
  open: OpenUnit,
  request: UnitRequest,
): AsyncGenerator<WriteBatch> {
  const shard = await open(request.unit.id, request.onDamage, request.onBytes)
  try {
    yield* shardBatches(shard, request)
  } finally {
    await shard.close()
  }
}

/** Points of an open shard, as the plan wants them. */
function shardBatches(shard: OpenShard, request: UnitRequest): Generator<WriteBatch> {
  let last: { readonly key: Uint8Array; readonly target: SeriesTarget | undefined } | undefined
  return readShard({
    layers: shard.layers,
    range: request.range,
    onDamage: request.onDamage,
    fieldTarget: (measurement: string, field: string, type: FieldType) =>
      request.fieldTarget(measurement, field, type),
    seriesTarget: (key) => {
      if (last === undefined || Buffer.compare(last.key, key) !== 0) {
        last = { key, target: seriesTarget(key, request) }
      }
      return last.target
    },
  })
}

/** Keys that were written by whatever version are spelt as the store spells them. */
function seriesTarget(key: Uint8Array, request: UnitRequest): SeriesTarget | undefined {
  const { measurement, tags } = splitKey(parseSeriesKey(key))
  if (measurement === '' || !request.wantsMeasurement(measurement)) return undefined
  return { measurement, key: Buffer.from(seriesKey({ measurement, tags })) }
}
