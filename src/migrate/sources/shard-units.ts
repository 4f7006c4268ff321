// A shard of InfluxDB 1.x as a unit of a migration, however its files are got at: its fields with what they weigh, and
// its points as the plan wants them.

import type { FieldType } from '../../column/column.js'
import { parseSeriesKey, seriesKey } from '../../column/series.js'
import type { WriteBatch } from '../../column/write-batch.js'
import type { DamageHandler } from '../../tsm/shard/field-stream.js'
import { readShard, type SeriesTarget } from '../../tsm/shard/shard-reader.js'
import { addWeights, type FieldWeights } from '../plan/field-weights.js'
import type { SourcePolicy, SourceUnit, UnitRequest } from '../plan/source.js'
import { countFields, splitKey } from './shard-fields.js'
import type { OpenShard } from './shard-folder.js'

export type OpenUnit = (
  id: string,
  onDamage: DamageHandler,
  onBytes: (bytes: number) => void,
) => Promise<OpenShard>

/** The fields of shards; those of one that still looks the same are remembered. */
export class ShardFields {
  readonly #open: OpenUnit
  /** By unit. */
  readonly #known = new Map<
    string,
    { readonly fingerprint: string; readonly weights: FieldWeights }
  >()

  constructor(open: OpenUnit) {
    this.#open = open
  }

  async of(policy: SourcePolicy, onDamage: DamageHandler): Promise<FieldWeights> {
    const all: FieldWeights = new Map()
    for (const unit of policy.units) addWeights(all, await this.#ofUnit(unit, onDamage))
    return all
  }

  async #ofUnit({ id, fingerprint }: SourceUnit, onDamage: DamageHandler): Promise<FieldWeights> {
    const known = this.#known.get(id)
    if (known !== undefined && known.fingerprint === fingerprint) return known.weights
    const weights: FieldWeights = new Map()
    const shard = await this.#open(id, onDamage, () => {})
    try {
      countFields(shard.layers, weights, onDamage)
    } finally {
      await shard.close()
    }
    if (fingerprint !== undefined) this.#known.set(id, { fingerprint, weights })
    return weights
  }
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
