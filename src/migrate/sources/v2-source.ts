// InfluxDB 2.x as files: its own folder (`influxd.bolt`, `engine/data/<bucket>/autogen/<shard>`, `engine/wal/` alike),
// where the server may run, or what `influx backup` made of it: a manifest, the key-value file, and an archive for each
// shard, which is unpacked when it is read.

import { gunzipSync } from 'node:zlib'
import type { WriteBatch } from '../../column/write-batch.js'
import { CorruptionError, UserError } from '../../errors.js'
import { type Disk, readFile } from '../../platform/disk.js'
import type { MetaShard } from '../../tsm/metadata/meta-file.js'
import { readV2Metadata } from '../../tsm/metadata/v2-metadata.js'
import type { DamageHandler } from '../../tsm/shard/field-stream.js'
import type { FieldWeights } from '../plan/field-weights.js'
import type {
  MigrationSource,
  SourceDescription,
  SourcePolicy,
  SourceUnit,
  UnitRequest,
} from '../plan/source.js'
import type { UnitFiles } from './meta-description.js'
import { openShard, shardFingerprint } from './shard-folder.js'
import { type OpenUnit, ShardFields, shardPoints } from './shard-units.js'
import { archiveBytes, UnpackedShards } from './unpacked-shards.js'
import { chosenOrganization, describeV2, shardUnits } from './v2-description.js'

/** Where the files are and how a shard is opened. */
export interface V2Files {
  readonly title: string
  /** The key-value file, with its name for what is said about damage. */
  metadata(): Promise<{ readonly name: string; readonly bytes: Uint8Array }>
  /** What is there of a shard. */
  files(bucket: string, policy: string, shard: MetaShard): Promise<UnitFiles | undefined>
  readonly open: OpenUnit
  /** Of a server: known since a shard was fetched; and all that has come from it. */
  readonly unitBytes?: (id: string) => number
  readonly receivedBytes?: () => number
  close(): Promise<void>
}

export class V2Source implements MigrationSource {
  readonly title: string
  readonly weighsValues = true
  readonly receivedBytes?: () => number
  readonly #files: V2Files
  readonly #fields: ShardFields
  readonly #organization: string | undefined

  /** `organization`: which of them; absent: the only one. */
  constructor(files: V2Files, organization: string | undefined) {
    this.#files = files
    this.#fields = new ShardFields(files.open)
    this.#organization = organization
    this.title = files.title
    if (files.receivedBytes !== undefined) this.receivedBytes = files.receivedBytes
  }

  async describe(): Promise<SourceDescription> {
    const { name, bytes } = await this.#files.metadata()
    const metadata = readV2Metadata(name, bytes)
    const organization = chosenOrganization(metadata, this.#organization)
    return describeV2(metadata, organization, async ({ bucket }) => {
      const filesOf = (policy: string, shard: MetaShard) =>
        this.#files.files(bucket.id, policy, shard)
      return { units: await shardUnits(bucket, filesOf) }
    })
  }

  fields(_: string, policy: SourcePolicy, onDamage: DamageHandler): Promise<FieldWeights> {
    return this.#fields.of(policy, onDamage)
  }

  unitBytes({ id, bytes }: SourceUnit): number {
    return this.#files.unitBytes?.(id) ?? bytes
  }

  read(request: UnitRequest): AsyncGenerator<WriteBatch> {
    return shardPoints(this.#files.open, request)
  }

  close(): Promise<void> {
    return this.#files.close()
  }
}

async function metadataFile(disk: Disk, name: string) {
  const bytes = await readFile(disk, name)
  if (!name.endsWith('.gz')) return { name, bytes }
  try {
    return { name, bytes: gunzipSync(bytes) }
  } catch (error) {
    throw new CorruptionError(name, 0, error instanceof Error ? error.message : 'not gzip')
  }
}

export function v2Folder(disk: Disk, folder: string): V2Files {
  const folders = (id: string): [string, string] => [
    `${folder}/engine/data/${id}`,
    `${folder}/engine/wal/${id}`,
  ]
  return {
    title: `InfluxDB 2.x in ${folder}`,
    metadata: () => metadataFile(disk, `${folder}/influxd.bolt`),
    files: async (bucket, policy, { id }) => {
      const found = await shardFingerprint(disk, ...folders(`${bucket}/${policy}/${id}`))
      return found.bytes === 0 ? undefined : { fingerprint: found.text, bytes: found.bytes }
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
  const unpacked = new UnpackedShards(disk, workFolder)
  return {
    title: `a backup of InfluxDB 2.x in ${folder}`,
    metadata: () => metadataFile(disk, `${folder}/${metadata}`),
    files: async (bucket, policy, { id }) => {
      const archive = archives.get(`${bucket}/${policy}/${id}`)
      if (archive === undefined) return undefined
      return { fingerprint: `${archive.name}=${archive.bytes}`, bytes: archive.bytes }
    },
    open: async (id, onDamage, onBytes) => {
      const archive = archives.get(id)
      if (archive === undefined) throw new UserError('not found', `the backup has no shard ${id}`)
      const path = `${folder}/${archive.name}`
      return unpacked.open(path, archiveBytes(disk, path), onDamage, onBytes)
    },
    close: () => unpacked.close(),
  }
}
