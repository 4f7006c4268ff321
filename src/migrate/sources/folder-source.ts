// The data folder of InfluxDB 1.x, or a copy of one: `meta/meta.db`, `data/<database>/<policy>/<shard>`, `wal/` alike.
// The server may run: its files do not change, and the log is read as far as it goes.

import type { WriteBatch } from '../../column/write-batch.js'
import { UserError } from '../../errors.js'
import { type Disk, readFile } from '../../platform/disk.js'
import { type MetaData, readMetaFile } from '../../tsm/metadata/meta-file.js'
import type { DamageHandler } from '../../tsm/shard/field-stream.js'
import type { FieldWeights } from '../plan/field-weights.js'
import type {
  MigrationSource,
  SourceDescription,
  SourcePolicy,
  UnitRequest,
} from '../plan/source.js'
import { describeMeta, type UnitFiles } from './meta-description.js'
import { openShard, shardFingerprint } from './shard-folder.js'
import { type OpenUnit, ShardFields, shardPoints } from './shard-units.js'

export class FolderSource implements MigrationSource {
  readonly title: string
  readonly weighsValues = true
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

  readonly #open: OpenUnit = (id, onDamage, onBytes) => {
    const [data, wal] = this.#folders(id)
    return openShard(this.#disk, data, wal, onDamage, onBytes)
  }

  fields(_: string, policy: SourcePolicy, onDamage: DamageHandler): Promise<FieldWeights> {
    return this.#fields.of(policy, onDamage)
  }

  readonly #fields = new ShardFields(this.#open)

  read(request: UnitRequest): AsyncGenerator<WriteBatch> {
    return shardPoints(this.#open, request)
  }

  async close(): Promise<void> {}
}
