// What the metadata of InfluxDB 1.x says, as the description of a source. What InfluxDB keeps for
// itself stays behind.

import type { MetaData, MetaDatabase, MetaPolicy } from '../../tsm/metadata/meta-file.js'
import type { SourceDatabase, SourceDescription, SourcePolicy, SourceUnit } from '../plan/source.js'

/** Databases of the server's own. */
const ownDatabases = new Set(['_internal', '_monitoring', '_tasks'])

export interface UnitFiles {
  readonly fingerprint: string
  readonly bytes: number
}

/** Undefined for a shard whose files are not there. */
export type FilesOf = (
  database: string,
  policy: string,
  shard: string,
) => Promise<UnitFiles | undefined>

export async function describeMeta(meta: MetaData, filesOf: FilesOf): Promise<SourceDescription> {
  const databases: SourceDatabase[] = []
  for (const database of meta.databases) {
    if (ownDatabases.has(database.name)) continue
    const policies: SourcePolicy[] = []
    for (const policy of database.policies) {
      policies.push(await describePolicy(database, policy, filesOf))
    }
    databases.push({ name: database.name, policies, continuousQueries: database.continuousQueries })
  }
  const users = meta.users.map(({ name, isAdmin, grants }) => ({ name, isAdmin, grants }))
  return { databases, users, notes: [] }
}

async function describePolicy(
  database: MetaDatabase,
  policy: MetaPolicy,
  filesOf: FilesOf,
): Promise<SourcePolicy> {
  const units: SourceUnit[] = []
  for (const { id, start, stop } of policy.shards) {
    const files = await filesOf(database.name, policy.name, id)
    if (files === undefined || files.bytes === 0) continue
    const { fingerprint, bytes } = files
    const range = { start, stop }
    units.push({ id: `${database.name}/${policy.name}/${id}`, range, fingerprint, bytes })
  }
  units.sort((a, b) => (a.range.start < b.range.start ? -1 : 1))
  return {
    name: policy.name,
    isDefault: policy.name === database.defaultPolicy,
    durationNs: policy.durationNs,
    shardDurationNs: policy.shardDurationNs,
    units,
  }
}
