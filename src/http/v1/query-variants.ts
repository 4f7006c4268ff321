// What queries are in the two variants: whose databases they see, and whose limits hold. In the
// managed variant a missing database is the failure of a statement, as in InfluxDB 1 and 2; in the
// cluster variant it answers the whole request, as its contract has it.

import { type Identity, serviceTokenId } from '../../access/authenticator.js'
import { type RateLimits, type Reading, unmetered } from '../rate-limits.js'
import type { Services } from '../services.js'
import { clusterDatabases, managedDatabases, writePoints } from './databases.js'
import { firstOrganization } from './databases-directory.js'
import type { QueryVariant } from './query.js'

/** What the service asks for itself is measured like everything else, and counts for nobody. */
const noOrganization = ''

export function managedQueries(services: Services, rates: RateLimits): QueryVariant {
  return {
    databases: (identity) => managedDatabases(services, identity, rates),
    writePoints: (identity) => writePoints(services, identity, rates),
    admit: (identity) => admit(services, rates, identity),
    admitAtOnce: (identity) => {
      const orgId = askingOrganization(identity)
      return orgId === undefined ? undefined : rates.forReadAtOnce(orgId)
    },
    refusesMissingDatabase: false,
  }
}

/** Undefined: bound to none. */
function askingOrganization({ tokenId, orgId }: Identity): string | undefined {
  return tokenId === serviceTokenId ? noOrganization : orgId
}

/** Whoever is bound to no organization asks in the first. */
async function admit(services: Services, rates: RateLimits, identity: Identity): Promise<Reading> {
  const orgId = askingOrganization(identity) ?? (await firstOrganization(services.catalog))
  return orgId === undefined ? unmetered : rates.forRead(orgId)
}

export function clusterQueries(services: Services): QueryVariant {
  return {
    databases: (identity) => clusterDatabases(services, identity),
    writePoints: (identity) => writePoints(services, identity),
    admit: async () => unmetered,
    admitAtOnce: () => unmetered,
    refusesMissingDatabase: true,
  }
}
