// What the metadata of InfluxDB 2.x says of one organization, as the description of a source. A migration speaks of
// databases and policies: a bucket is the policy that its mapping names, or else the one that its own name means, as
// both products have it (`a/b` is policy `b` of database `a`, `a` its policy `autogen`).

import { UserError } from '../../errors.js'
import type { MetaShard } from '../../tsm/metadata/meta-file.js'
import type { V2Bucket, V2Metadata, V2Record } from '../../tsm/metadata/v2-metadata.js'
import type {
  SourceDatabase,
  SourceDescription,
  SourcePolicy,
  SourceResources,
  SourceUnit,
} from '../plan/source.js'
import type { UnitFiles } from './meta-description.js'

export interface V2Organization {
  readonly id: string
  readonly name: string
}

/** Throws UserError where it cannot be told which is meant. */
export function chosenOrganization(
  { organizations }: V2Metadata,
  wanted: string | undefined,
): V2Organization {
  const found = organizations.filter(({ name }) => wanted === undefined || name === wanted)
  if (found.length === 1) return found[0]
  const names = organizations.map(({ name }) => `"${name}"`).join(', ')
  const problem = wanted === undefined ? 'name one with --from-org' : `there is no "${wanted}"`
  throw new UserError('invalid', `the source has the organizations ${names}: ${problem}`)
}

/** A bucket and what it is to clients of v1. */
export interface PlacedBucket {
  readonly bucket: V2Bucket
  readonly database: string
  readonly policy: string
}

export async function describeV2(
  metadata: V2Metadata,
  organization: V2Organization,
  pointsOf: (placed: PlacedBucket) => Promise<Pick<SourcePolicy, 'units' | 'deletes'>>,
): Promise<SourceDescription> {
  const buckets = metadata.buckets.filter(
    ({ orgId, name }) => orgId === organization.id && !name.startsWith('_'),
  )
  const mappings = metadata.records.mappings.filter(
    ({ organization_id, virtual }) => organization_id === organization.id && virtual !== true,
  )
  const databases = new Map<string, SourcePolicy[]>()
  for (const bucket of buckets) {
    const mapping = mappings.find(({ bucket_id }) => bucket_id === bucket.id)
    const { database, policy } = placeOf(bucket, mapping)
    const policies = databases.get(database) ?? []
    databases.set(database, policies)
    policies.push({
      name: policy,
      isDefault: mapping === undefined ? policies.length === 0 : mapping.default === true,
      durationNs: bucket.durationNs,
      shardDurationNs: 0n,
      ...(await pointsOf({ bucket, database, policy })),
      bucket: { name: bucket.name, isMapped: mapping !== undefined },
    })
  }
  const all: SourceDatabase[] = Array.from(databases, ([name, policies]) => {
    return { name, policies, continuousQueries: [] }
  })
  const resources = resourcesOf(metadata, organization, buckets, mappings)
  return { databases: all, users: [], notes: [], resources }
}

function placeOf({ name }: V2Bucket, mapping: V2Record | undefined) {
  if (mapping !== undefined) {
    return { database: String(mapping.database), policy: String(mapping.retention_policy) }
  }
  const slash = name.indexOf('/')
  if (slash < 0) return { database: name, policy: 'autogen' }
  return { database: name.slice(0, slash), policy: name.slice(slash + 1) }
}

/** The shards that the metadata names, as far as their files are there. */
export async function shardUnits(
  { id, shards }: V2Bucket,
  filesOf: (policy: string, shard: MetaShard) => Promise<UnitFiles | undefined>,
): Promise<SourceUnit[]> {
  const units: SourceUnit[] = []
  for (const policy of shards?.policies ?? []) {
    for (const shard of policy.shards) {
      const files = await filesOf(policy.name, shard)
      if (files === undefined) continue
      const { start, stop } = shard
      units.push({ id: `${id}/${policy.name}/${shard.id}`, range: { start, stop }, ...files })
    }
  }
  return units.sort((a, b) => (a.range.start < b.range.start ? -1 : 1))
}

function resourcesOf(
  { records, views }: V2Metadata,
  { id }: V2Organization,
  buckets: readonly V2Bucket[],
  mappings: readonly V2Record[],
): SourceResources {
  const own = (list: readonly V2Record[]) => list.filter((record) => record.orgID === id)
  const checks = own(records.checks)
  const rules = own(records.rules)
  // Checks and rules have tasks of their own, which are made with them.
  const taken = new Set([...checks, ...rules].map(({ taskID }) => taskID))
  return {
    organizationId: id,
    bucketNames: new Map(buckets.map((bucket) => [bucket.id, bucket.name])),
    users: records.users,
    // The first of a bucket is made with the bucket.
    mappings: mappings
      .filter((one, i) => mappings.findIndex((other) => other.bucket_id === one.bucket_id) !== i)
      .map((one) => ({
        bucketId: String(one.bucket_id),
        database: String(one.database),
        policy: String(one.retention_policy),
        isDefault: one.default === true,
      })),
    labelMappings: records.labelMappings.map((one) => ({
      labelId: String(one.labelID),
      resourceId: String(one.resourceID),
      resourceType: String(one.resourceType),
    })),
    tokens: own(records.tokens),
    records: {
      variables: own(records.variables),
      labels: own(records.labels),
      telegrafs: own(records.telegrafs),
      tasks: own(records.tasks).filter((task) => !taken.has(task.id)),
      checks,
      notificationEndpoints: own(records.endpoints),
      notificationRules: rules,
      dashboards: own(records.dashboards).map((dashboard) => withViews(dashboard, views)),
    },
  }
}

/** Each cell with its view. */
function withViews(dashboard: V2Record, views: ReadonlyMap<string, V2Record>): V2Record {
  const cells = Array.isArray(dashboard.cells) ? (dashboard.cells as V2Record[]) : []
  const shown = cells.map((cell) => ({ ...cell, view: views.get(`${dashboard.id}${cell.id}`) }))
  return { ...dashboard, cells: shown }
}
