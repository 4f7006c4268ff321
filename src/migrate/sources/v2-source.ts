// InfluxDB 2.x as files: its own folder (`influxd.bolt`, `engine/data/<bucket>/autogen/<shard>`, `engine/wal/` alike),
// where the server may run, or what `influx backup` made of it: a manifest, the key-value file, and an archive for each
// shard, which is unpacked when it is read.

import { gunzipSync } from 'node:zlib'
import type { WriteBatch } from '../../column/write-batch.js'
import { CorruptionError, UserError } from '../../errors.js'
import { type Disk, readFile } from '../../platform/disk.js'
import { readV2Metadata } from '../../tsm/metadata/v2-metadata.js'
import type { DamageHandler } from '../../tsm/shard/field-stream.js'
import type { FieldWeights } from '../plan/field-weights.js'
import type {
  MigrationSource,
  SourceDescription,
  SourcePolicy,
  UnitRequest,
} from '../plan/source.js'
import type { FilesOf } from './meta-description.js'
import { openShard, shardFingerprint } from './shard-folder.js'
import { type OpenUnit, shardFields, shardPoints } from './shard-units.js'
import { extractShard } from './tar-files.js'
import { chosenOrganization, describeV2 } from './v2-description.js'

/** Where the files are and how a shard is opened. */
interface V2Files {
  readonly title: string
  readonly metadataPath: string
  readonly files: FilesOf
  readonly open: OpenUnit
  close(): Promise<void>
}

export class V2Source implements MigrationSource {
  readonly title: string
  readonly #disk: Disk
  readonly #files: V2Files
  readonly #organization: string | undefined

  /** `organization`: which of them; absent: the only one. */
  constructor(disk: Disk, files: V2Files, organization: string | undefined) {
    this.#disk = disk
    this.#files = files
    this.#organization = organization
    this.title = files.title
  }

  async describe(): Promise<SourceDescription> {
    const path = this.#files.metadataPath
    const metadata = readV2Metadata(path, unpacked(path, await readFile(this.#disk, path)))
    const organization = chosenOrganization(metadata, this.#organization)
    return describeV2(metadata, organization, this.#files.files)
  }

  fields(_: string, policy: SourcePolicy, onDamage: DamageHandler): Promise<FieldWeights> {
    return shardFields(this.#files.open, policy, onDamage)
  }

  read(request: UnitRequest): AsyncGenerator<WriteBatch> {
    return shardPoints(this.#files.open, request)
  }

  close(): Promise<void> {
    return this.#files.close()
  }
}

function unpacked(path: string, bytes: Uint8Array): Uint8Array {
  if (!path.endsWith('.gz')) return bytes
  try {
    return gunzipSync(bytes)
  } catch (error) {
    throw new CorruptionError(path, 0, error instanceof Error ? error.message : 'not gzip')
  }
}

export function v2Folder(disk: Disk, folder: string): V2Files {
  const folders = (id: string): [string, string] => [
    `${folder}/engine/data/${id}`,
    `${folder}/engine/wal/${id}`,
  ]
  return {
    title: `InfluxDB 2.x in ${folder}`,
    metadataPath: `${folder}/influxd.bolt`,
    files: async (bucket, policy, shard) => {
      const found = await shardFingerprint(disk, ...folders(`${bucket}/${policy}/${shard}`))
      return { fingerprint: found.text, bytes: found.bytes }
    },
    open: (id, onDamage, onBytes) => openShard(disk, ...folders(id), onDamage, onBytes),
    close: async () => {},
  }
}

interface Manifest {
  readonly kv?: { readonly fileName?: string }
  readonly buckets?: readonly {
    readonly bucketID: string
    readonly retentionPolicies?: readonly {
      readonly name: string
      readonly shardGroups?: readonly {
        readonly shards?: readonly {
          readonly id: number
          readonly fileName?: string
          readonly size?: number
        }[]
      }[]
    }[]
  }[]
}

/** Undefined where no manifest of 2.x lies there. Of several backups the last one counts. */
export async function v2Backup(
  disk: Disk,
  folder: string,
  workFolder: string,
): Promise<V2Files | undefined> {
  const names = (await disk.list(folder)).filter((name) => name.endsWith('.manifest'))
  for (const name of names.reverse()) {
    const manifest = await manifestOf(disk, `${folder}/${name}`)
    const metadata = manifest.kv?.fileName
    if (metadata !== undefined) return backupFiles(disk, folder, workFolder, manifest, metadata)
  }
  return undefined
}

async function manifestOf(disk: Disk, path: string): Promise<Manifest> {
  try {
    return JSON.parse(Buffer.from(await readFile(disk, path)).toString('utf8'))
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new UserError('invalid', `the manifest ${path} is not JSON: ${error.message}`)
  }
}

function backupFiles(
  disk: Disk,
  folder: string,
  workFolder: string,
  { buckets = [] }: Manifest,
  metadata: string,
): V2Files {
  const archives = new Map<string, { readonly name: string; readonly bytes: number }>()
  for (const { bucketID, retentionPolicies = [] } of buckets) {
    for (const { name, shardGroups = [] } of retentionPolicies) {
      for (const { id, fileName, size = 0 } of shardGroups.flatMap((group) => group.shards ?? [])) {
        if (fileName === undefined) continue
        archives.set(`${bucketID}/${name}/${id}`, { name: fileName, bytes: size })
      }
    }
  }
  return {
    title: `a backup of InfluxDB 2.x in ${folder}`,
    metadataPath: `${folder}/${metadata}`,
    files: async (bucket, policy, shard) => {
      const archive = archives.get(`${bucket}/${policy}/${shard}`)
      if (archive === undefined) return undefined
      return { fingerprint: `${archive.name}=${archive.bytes}`, bytes: archive.bytes }
    },
    open: async (id, onDamage, onBytes) => {
      const archive = archives.get(id)
      if (archive === undefined) throw new UserError('not found', `the backup has no shard ${id}`)
      await disk.removeDir(workFolder)
      await extractShard(disk, `${folder}/${archive.name}`, workFolder)
      return openShard(disk, workFolder, undefined, onDamage, onBytes)
    },
    close: () => disk.removeDir(workFolder),
  }
}
