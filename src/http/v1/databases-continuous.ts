// What a continuous query may use when it runs: every bucket of its organization. Its maker was
// asked for permissions when it was made.

import type { Identity } from '../../access/authenticator.js'
import { assert } from '../../errors.js'
import type { InfluxqlScope } from '../../influxql/scope/scope.js'
import { queryLimits } from '../query-start.js'
import type { Services } from '../services.js'
import { clusterDatabases, managedDatabases, writePoints } from './databases.js'

export function continuousQueryScope(
  services: Services,
  orgId: string,
  database: string,
): InfluxqlScope {
  const { store, clock, random, queries, config, homeOrgId } = services
  const isCluster = config.variant === 'cluster'
  assert(!isCluster || orgId === homeOrgId, 'a cluster has one organization')
  const resource = { type: 'buckets', orgID: orgId } as const
  const identity: Identity = {
    tokenId: undefined,
    orgId,
    userId: undefined,
    permissions: [
      { action: 'read', resource },
      { action: 'write', resource },
    ],
  }
  return {
    store,
    clock,
    random,
    queries,
    databases: (isCluster ? clusterDatabases : managedDatabases)(services, identity),
    writePoints: writePoints(services, identity),
    limits: { ...queryLimits(config), timeoutSeconds: 0, concurrentMax: 0 },
    database,
    policy: undefined,
    isReadOnly: false,
  }
}
