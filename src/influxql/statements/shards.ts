// Shards as statements show and name them. The store knows a shard by its bucket and its start;
// InfluxDB counts them. A number made of both stays the same whatever other shards come and go, so
// that nobody drops another shard than the one that was shown.

import { createHash } from 'node:crypto'
import { floorDiv, nsPerSecond } from '../../column/time.js'
import type { BucketId } from '../../store/store.js'
import type { InfluxqlScope } from '../scope/scope.js'

export interface ShardInfo {
  readonly id: number
  readonly bucket: BucketId
  readonly policy: string
  readonly start: bigint
  /** Not included. */
  readonly stop: bigint
  /** How long the policy keeps points behind the end of a shard; 0n: for ever. */
  readonly durationNs: bigint
}

/** Of all policies of a database, by policy and time. */
export async function listShards(scope: InfluxqlScope, database: string): Promise<ShardInfo[]> {
  const { databases, store } = scope
  const shards: ShardInfo[] = []
  for (const { name: policy, durationNs } of await databases.policies(database)) {
    const bucket = await databases.bucket(database, policy, 'read')
    for (const { start, stop } of await store.shards(bucket)) {
      shards.push({ id: shardId(bucket, start), bucket, policy, start, stop, durationNs })
    }
  }
  return shards
}

/** 48 bits: exact as a number, and enough that no two of a million shards meet. */
function shardId(bucket: BucketId, start: bigint): number {
  return createHash('sha256').update(`${bucket}/${start}`).digest().readUIntBE(0, 6)
}

/** A shard that is not there is dropped already. */
export async function dropShard(id: bigint, scope: InfluxqlScope): Promise<void> {
  for (const database of await scope.databases.list()) {
    const shard = (await listShards(scope, database)).find((s) => BigInt(s.id) === id)
    if (shard === undefined) continue
    const bucket = await scope.databases.bucket(database, shard.policy, 'delete')
    const { start, stop } = shard
    await scope.store.delete({ bucket, range: { start, stop } })
    return
  }
}

/** RFC3339 in whole seconds. */
export function shardTime(ns: bigint): string {
  const seconds = Number(floorDiv(ns, nsPerSecond))
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`
}
