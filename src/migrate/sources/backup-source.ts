// A portable backup of InfluxDB 1.x (`influxd backup -portable`): a manifest that names a file with metadata and an
// archive per shard. Several backups into one folder have a manifest each; the newest metadata counts, and of each
// shard the newest archive.

import type { WriteBatch } from '../../column/write-batch.js'
import { UserError } from '../../errors.js'
import { type Disk, readFile } from '../../platform/disk.js'
import { readPortableMeta } from '../../tsm/metadata/meta-file.js'
import type { DamageHandler } from '../../tsm/shard/field-stream.js'
import type { FieldWeights } from '../plan/field-weights.js'
import type {
  MigrationSource,
  SourceDescription,
  SourcePolicy,
  UnitRequest,
} from '../plan/source.js'
import { describeMeta } from './meta-description.js'
import { type OpenUnit, ShardFields, shardPoints } from './shard-units.js'
import { archiveBytes, UnpackedShards } from './unpacked-shards.js'

interface Manifest {
  readonly meta?: { readonly fileName?: string }
  readonly files?: readonly ManifestFile[]
}

interface ManifestFile {
  readonly database: string
  readonly policy: string
  readonly shardID: number
  readonly fileName: string
  readonly size: number
  readonly lastModified: number
}

export class BackupSource implements MigrationSource {
  readonly title: string
  readonly weighsValues = true
  readonly #disk: Disk
  readonly #folder: string
  readonly #unpacked: UnpackedShards
  readonly #metaName: string
  /** By unit. */
  readonly #files: ReadonlyMap<string, ManifestFile>

  private constructor(
    disk: Disk,
    folder: string,
    workFolder: string,
    metaName: string,
    files: ReadonlyMap<string, ManifestFile>,
  ) {
    this.#disk = disk
    this.#folder = folder
    this.#unpacked = new UnpackedShards(disk, workFolder)
    this.#metaName = metaName
    this.#files = files
    this.title = `a portable backup of InfluxDB 1.x in ${folder}`
  }

  /** Throws UserError where it is no such folder. */
  static async open(disk: Disk, folder: string, workFolder: string): Promise<BackupSource> {
    const names = await disk.list(folder)
    const files = new Map<string, ManifestFile>()
    let metaName: string | undefined
    for (const name of names.filter((one) => one.endsWith('.manifest')).reverse()) {
      const manifest = await readManifest(disk, `${folder}/${name}`)
      metaName ??= manifest.meta?.fileName
      for (const file of manifest.files ?? []) {
        if (!names.includes(file.fileName)) continue
        const id = `${file.database}/${file.policy}/${file.shardID}`
        if ((files.get(id)?.lastModified ?? -1) < file.lastModified) files.set(id, file)
      }
    }
    if (metaName === undefined || !names.includes(metaName)) {
      throw new UserError('invalid', `there is no portable backup of InfluxDB 1.x in ${folder}`)
    }
    return new BackupSource(disk, folder, workFolder, metaName, files)
  }

  async describe(): Promise<SourceDescription> {
    const path = `${this.#folder}/${this.#metaName}`
    const meta = readPortableMeta(path, await readFile(this.#disk, path))
    return describeMeta(meta, async (database, policy, shard) => {
      const file = this.#files.get(`${database}/${policy}/${shard}`)
      if (file === undefined) return undefined
      return { fingerprint: `${file.fileName}=${file.size}`, bytes: file.size }
    })
  }

  fields(_: string, policy: SourcePolicy, onDamage: DamageHandler): Promise<FieldWeights> {
    return this.#fields.of(policy, onDamage)
  }

  readonly #open: OpenUnit = async (id, onDamage, onBytes) => {
    const name = this.#files.get(id)?.fileName
    if (name === undefined) throw new UserError('not found', `the backup has no shard ${id}`)
    const path = `${this.#folder}/${name}`
    return this.#unpacked.open(path, archiveBytes(this.#disk, path), onDamage, onBytes)
  }

  readonly #fields = new ShardFields(this.#open)

  read(request: UnitRequest): AsyncGenerator<WriteBatch> {
    return shardPoints(this.#open, request)
  }

  close(): Promise<void> {
    return this.#unpacked.close()
  }
}

async function readManifest(disk: Disk, path: string): Promise<Manifest> {
  try {
    return JSON.parse(Buffer.from(await readFile(disk, path)).toString('utf8'))
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new UserError('invalid', `the manifest ${path} is not JSON: ${error.message}`)
  }
}
