// The databases of the query corpus: `db` with the policies `autogen` and `rp2`, and `other`, all without end. What
// statements about databases do is shown elsewhere, so that everything else is refused here.

import { UserError } from '../../src/errors.js'
import type { Databases, RetentionPolicy } from '../../src/influxql/scope/scope.js'
import type { BucketId } from '../../src/store/store.js'

const policyNames: ReadonlyMap<string, readonly string[]> = new Map([
  ['db', ['autogen', 'rp2']],
  ['other', ['autogen']],
])

const bucketIds: ReadonlyMap<string, BucketId> = new Map([
  ['db.autogen', '0000000000000001'],
  ['db.rp2', '0000000000000002'],
  ['other.autogen', '0000000000000003'],
])

export function corpusBucket(database: string, policy = 'autogen'): BucketId {
  const policies = policyNames.get(database)
  if (policies === undefined) throw new UserError('not found', `database not found: ${database}`)
  const bucket = bucketIds.get(`${database}.${policy}`)
  if (bucket === undefined) {
    throw new UserError('not found', `retention policy not found: ${policy}`)
  }
  return bucket
}

function policyOf(name: string): RetentionPolicy {
  return {
    name,
    durationNs: 0n,
    shardDurationNs: 604_800_000_000_000n,
    replication: 1,
    futureLimitNs: 0n,
    pastLimitNs: 0n,
    isDefault: name === 'autogen',
  }
}

const known: Partial<Databases> = {
  async bucket(database, policy) {
    return corpusBucket(database, policy)
  },
  async list() {
    return [...policyNames.keys()]
  },
  async policies(database) {
    return (policyNames.get(database) ?? []).map(policyOf)
  },
}

export const corpusDatabases = new Proxy(known, {
  get(target, name) {
    if (name in target) return target[name as keyof Databases]
    throw new Error(`the corpus has no use for databases.${String(name)}`)
  },
}) as Databases
