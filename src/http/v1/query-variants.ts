// What queries are in the two variants: whose databases they see, and whose limits hold. In the
// managed variant a missing database is the failure of a statement, as in InfluxDB 1 and 2; in the
// cluster variant it answers the whole request, as its contract has it.

import type { Identity } from '../../access/authenticator.js'
import { type RateLimits, type Reading, unmetered } from '../rate-limits.js'
import type { Services } from '../services.js'
import { clusterDatabases, managedDatabases, writePoints } from './databases.js'
import { firstOrganization } from './databases-directory.js'
import type { QueryVariant } from './query.js'

export function managedQueries(services: Services, rates: RateLimits): QueryVariant {
  return {
    databases: (identity) => managedDatabases(services, identity, rates),
    writePoints: (identity) => writePoints(services, identity, rates),
    admit: (identity) => admit(services, rates, identity),
    refusesMissingDatabase: false,
  }
}

/** Whoever is bound to no organization asks in the first. */
async function admit(services: Services, rates: RateLimits, identity: Identity): Promise<Reading> {
  const orgId = identity.orgId ?? (await firstOrganization(services.catalog))
  return orgId === undefined ? unmetered : rates.forRead(orgId)
}

export function clusterQueries(services: Services): QueryVariant {
  return {
    databases: (identity) => clusterDatabases(services, identity),
    writePoints: (identity) => writePoints(services, identity),
    admit: async () => unmetered,
    refusesMissingDatabase: true,
  }
}
