// The store contract on two shards of two replicas each, with a keeper: real servers, Debian's.

import { afterAll, beforeAll, describe } from 'vitest'
import { type ClickhouseCluster, clusterMissing, startCluster } from './clickhouse-cluster.js'
import { clickhouseStores } from './clickhouse-servers.js'
import { runStoreContract } from './contract.js'

let cluster: ClickhouseCluster

// By hand: a minute and a half. The suite has a selection in test/cluster/replicas.test.ts.
const isWanted = process.env.MILLRACE_CLUSTER_CONTRACT === '1' && clusterMissing === undefined

describe.skipIf(!isWanted)('a cluster of ClickHouse', () => {
  beforeAll(async () => {
    cluster = await startCluster()
  }, 120_000)

  afterAll(() => cluster?.stop(), 60_000)

  runStoreContract(
    'a cluster of ClickHouse',
    clickhouseStores(() => cluster),
  )
})
