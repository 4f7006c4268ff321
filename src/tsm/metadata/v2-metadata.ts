// What InfluxDB 2.x knows beside its points, from its key-value file: organizations, buckets with their shards,
// mappings, tokens, and the resources that people make, each as the JSON that InfluxDB keeps.

import { CorruptionError } from '../../errors.js'
import { BoltFile } from './bolt-file.js'
import { type MetaDatabase, readMetaFile } from './meta-file.js'

export type V2Record = Readonly<Record<string, unknown>>

export interface V2Bucket {
  readonly id: string
  readonly orgId: string
  readonly name: string
  /** Nanoseconds; 0n: for ever. */
  readonly durationNs: bigint
  /** Its shards, under the name of its id; absent: nothing was ever written. */
  readonly shards: MetaDatabase | undefined
}

/** Where each kind of record lies. */
const kinds = {
  users: 'usersv1',
  tokens: 'authorizationsv1',
  mappings: 'dbrpv1',
  tasks: 'tasksv1',
  variables: 'variablesv1',
  labels: 'labelsv1',
  labelMappings: 'labelmappingsv1',
  dashboards: 'dashboardsv2',
  checks: 'checksv1',
  endpoints: 'notificationEndpointv1',
  rules: 'notificationRulev1',
  telegrafs: 'telegrafv1',
} as const

export type V2Kind = keyof typeof kinds

export interface V2Metadata {
  readonly organizations: readonly { readonly id: string; readonly name: string }[]
  readonly buckets: readonly V2Bucket[]
  readonly records: Readonly<Record<V2Kind, readonly V2Record[]>>
  /** Of cells, by the id of the dashboard with that of the cell behind it. */
  readonly views: ReadonlyMap<string, V2Record>
}

/** Throws CorruptionError. */
export function readV2Metadata(name: string, bytes: Uint8Array): V2Metadata {
  const file = new BoltFile(name, bytes)
  const recordsOf = (bucket: string) =>
    Array.from(file.bucket(bucket), ({ value }) => recordOf(name, value))
  const records = Object.fromEntries(
    Object.entries(kinds).map(([kind, bucket]) => [kind, recordsOf(bucket)]),
  ) as Record<V2Kind, V2Record[]>
  const organizations = recordsOf('organizationsv1').map((record) => ({
    id: String(record.id),
    name: String(record.name),
  }))
  const views = new Map<string, V2Record>()
  for (const { key, value } of file.bucket('dashboardcellviewsv1')) {
    views.set(key.toString(), recordOf(name, value))
  }
  return { organizations, buckets: bucketsOf(name, file), records, views }
}

function bucketsOf(name: string, file: BoltFile): V2Bucket[] {
  const meta = file.get('v1_tsm1_metadata', 'meta.db')
  const databases = meta === undefined ? [] : readMetaFile(name, meta).databases
  const buckets: V2Bucket[] = []
  for (const { value } of file.bucket('bucketsv1')) {
    const { id, orgID, name: bucket, type } = recordOf(name, value)
    // 1: one that the server keeps for itself.
    if (type === 1 || type === 'system') continue
    buckets.push({
      id: String(id),
      orgId: String(orgID),
      name: String(bucket),
      durationNs: wholeMember(value, 'retentionPeriod'),
      shards: databases.find((database) => database.name === id),
    })
  }
  return buckets
}

function recordOf(name: string, value: Buffer): V2Record {
  try {
    return JSON.parse(value.toString('utf8')) as V2Record
  } catch {
    throw new CorruptionError(name, value.byteOffset, 'a record is not JSON')
  }
}

/** Nanoseconds of some hundred years are no safe integers. */
function wholeMember(value: Buffer, member: string): bigint {
  const found = new RegExp(`"${member}":(-?\\d+)`).exec(value.toString('utf8'))?.[1]
  return BigInt(found ?? 0)
}
