// The data folder of InfluxDB 1.x, or a copy of one: `meta/meta.db`, `data/<database>/<policy>/<shard>`, `wal/` alike.
// The server may run: its files do not change, and the log is read as far as it goes.

import type { FieldType } from '../../column/column.js'
import { parseSeriesKey, seriesKey } from '../../column/series.js'
import type { WriteBatch } from '../../column/write-batch.js'
import { UserError } from '../../errors.js'
import { type Disk, readFile } from '../../platform/disk.js'
import { type MetaData, readMetaFile } from '../../tsm/metadata/meta-file.js'
import type { DamageHandler } from '../../tsm/shard/field-stream.js'
import { readShard, type SeriesTarget } from '../../tsm/shard/shard-reader.js'
import type { FieldWeights } from '../plan/field-weights.js'
import type {
  MigrationSource,
  SourceDescription,
  SourcePolicy,
  UnitRequest,
} from '../plan/source.js'
import { describeMeta, type UnitFiles } from './meta-description.js'
import { countFields, splitKey } from './shard-fields.js'
import { type OpenShard, openShard, shardFingerprint } from './shard-folder.js'

export class FolderSource implements MigrationSource {
  readonly title: string
  readonly #disk: Disk
  readonly #folder: string

  /** Throws UserError where it is no such folder. */
  static async open(disk: Disk, folder: string): Promise<FolderSource> {
    if (!(await disk.exists(`${folder}/meta/meta.db`))) {
      throw new UserError('invalid', `there is no "meta/meta.db" in ${folder}`)
    }
    return new FolderSource(disk, folder)
  }

  private constructor(disk: Disk, folder: string) {
    this.#disk = disk
    this.#folder = folder
    this.title = `InfluxDB 1.x in ${folder}`
  }

  async describe(): Promise<SourceDescription> {
    const path = `${this.#folder}/meta/meta.db`
    const meta: MetaData = readMetaFile(path, await readFile(this.#disk, path))
    return describeMeta(meta, (database, policy, shard) =>
      this.#files(`${database}/${policy}/${shard}`),
    )
  }

  async #files(id: string): Promise<UnitFiles> {
    const { text, bytes } = await shardFingerprint(this.#disk, ...this.#folders(id))
    return { fingerprint: text, bytes }
  }

  #folders(id: string): [string, string] {
    return [`${this.#folder}/data/${id}`, `${this.#folder}/wal/${id}`]
  }

  #open(id: string, onDamage: DamageHandler, onBytes: (bytes: number) => void): Promise<OpenShard> {
    const [data, wal] = this.#folders(id)
    return openShard(this.#disk, data, wal, onDamage, onBytes)
  }

  async fields(_: string, policy: SourcePolicy, onDamage: DamageHandler): Promise<FieldWeights> {
    const weights: FieldWeights = new Map()
    for (const { id } of policy.units) {
      const shard = await this.#open(id, onDamage, () => {})
      countFields(shard.layers, weights, onDamage)
      await shard.close()
    }
    return weights
  }

  async *read(request: UnitRequest): AsyncGenerator<WriteBatch> {
    const shard = await this.#open(request.unit.id, request.onDamage, request.onBytes)
    try {
      yield* shardBatches(shard, request)
    } finally {
      await shard.close()
    }
  }

  async close(): Promise<void> {}
}

/** Points of an open shard, as a unit of a migration wants them. */
export function shardBatches(shard: OpenShard, request: UnitRequest): Generator<WriteBatch> {
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
