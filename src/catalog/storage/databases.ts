// Databases as the v1 statements made them: a name that stays although its last retention policy is
// dropped, and what a policy says beyond its bucket. Most databases have no record here: they follow
// from mappings and from the names of buckets.

import type { CatalogContext } from '../base/context.js'
import { type CatalogRecord, exactName, Records } from '../base/records.js'

/** A bucket knows whole seconds, and nothing of replication or shards. */
export interface PolicyDetails {
  /** Nanoseconds in decimal. Holds as long as it is the bucket's own retention, rounded up to seconds. */
  readonly durationNs: string
  readonly shardDurationNs: string
  readonly replication: number
  /** How far from now points may lie that are written, nanoseconds in decimal; absent or 0: as far as they like. */
  readonly futureLimitNs?: string
  readonly pastLimitNs?: string
}

/** As the management interface of v3 clusters sets them: writes are held to them. */
export interface DatabaseLimits {
  readonly maxTables?: number | undefined
  readonly maxColumnsPerTable?: number | undefined
}

export type DatabaseRecord = CatalogRecord<Record<string, never>>

export class Databases {
  readonly #names: Records<Record<string, never>>
  readonly #details: Records<PolicyDetails>
  readonly #limits: Records<DatabaseLimits>

  constructor(context: CatalogContext) {
    const uniqueName = exactName
    this.#names = new Records(context, { kind: 'database', noun: 'database', uniqueName })
    this.#details = new Records(context, { kind: 'retention-policy', noun: 'retention policy' })
    this.#limits = new Records(context, { kind: 'database-limits', noun: 'database limits' })
  }

  /** In a transaction. Does nothing where the name is kept already. */
  async keep(orgId: string, name: string): Promise<void> {
    if ((await this.#names.findByName(orgId, name)) !== undefined) return
    await this.#names.create({ orgId, name, body: {} })
  }

  /** In a transaction. */
  async forget(orgId: string, name: string): Promise<void> {
    const found = await this.#names.findByName(orgId, name)
    if (found === undefined) return
    await this.#names.delete(found.id)
  }

  /** In the order they were made. */
  async list(orgId: string): Promise<DatabaseRecord[]> {
    return this.#names.list({ orgId })
  }

  /** In a transaction. The details go with their bucket. */
  async describe(orgId: string, bucketId: string, details: PolicyDetails): Promise<void> {
    const [known] = await this.#details.list({ orgId, parentId: bucketId })
    if (known !== undefined) await this.#details.update(known.id, { body: details })
    else await this.#details.create({ orgId, parentId: bucketId, name: bucketId, body: details })
  }

  /** In a transaction. What is absent stays as it is. The limits go with their bucket. */
  async limit(orgId: string, bucketId: string, given: DatabaseLimits): Promise<DatabaseLimits> {
    const [known] = await this.#limits.list({ orgId, parentId: bucketId })
    const {
      maxTables = known?.body.maxTables,
      maxColumnsPerTable = known?.body.maxColumnsPerTable,
    } = given
    const body = { maxTables, maxColumnsPerTable }
    if (known !== undefined) await this.#limits.update(known.id, { body })
    else await this.#limits.create({ orgId, parentId: bucketId, name: bucketId, body })
    return body
  }

  /** By bucket. */
  async limits(orgId: string): Promise<ReadonlyMap<string, DatabaseLimits>> {
    const all = await this.#limits.list({ orgId })
    return new Map(all.map(({ parentId, body }) => [parentId, body]))
  }

  /** Shard durations in seconds by bucket, of those in these organizations for which one was set. */
  async shardSeconds(orgIds: Iterable<string>): Promise<ReadonlyMap<string, number>> {
    const all = new Map<string, number>()
    for (const orgId of new Set(orgIds)) {
      for (const [bucketId, { shardDurationNs }] of await this.details(orgId)) {
        all.set(bucketId, Number(BigInt(shardDurationNs) / 1_000_000_000n))
      }
    }
    return all
  }

  async detailsOf(orgId: string, bucketId: string): Promise<PolicyDetails | undefined> {
    const [known] = await this.#details.list({ orgId, parentId: bucketId })
    return known?.body
  }

  /** By bucket. */
  async details(orgId: string): Promise<ReadonlyMap<string, PolicyDetails>> {
    const all = await this.#details.list({ orgId })
    return new Map(all.map(({ parentId, body }) => [parentId, body]))
  }
}
