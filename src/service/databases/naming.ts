// How the two variants name the buckets behind databases and policies. Managed: a bucket of any name
// with a mapping; cluster: `db` for the default policy, `db/policy` for another, and nothing else
// says what belongs together.

import type { Catalog } from '../../catalog/catalog.js'
import { bucketNameProblem } from '../../catalog/storage/buckets.js'
import { clusterDatabaseName, clusterPolicy } from '../targets/cluster-names.js'
import type { DatabaseNaming } from './maker.js'

export const managedNaming: DatabaseNaming = {
  hasMappings: true,
  policyName: (policy) => policy,
  bucketName: async (inside, orgId, database, policy) => {
    const wanted = plainName(`${database}/${policy}`)
    for (let number = 1; ; number++) {
      const name = number === 1 ? wanted : `${wanted} (${number})`
      if ((await inside.buckets.findByName(orgId, name)) === undefined) return name
    }
  },
}

/** What a bucket may not be called is written otherwise: the mapping knows the database's own name. */
function plainName(name: string): string {
  if (bucketNameProblem(name) === undefined) return name
  return name.replace(/^_/, '%5F').replaceAll('"', '%22')
}

export const clusterNaming: DatabaseNaming = {
  hasMappings: false,
  policyName: clusterPolicy,
  bucketName: async (_inside: Catalog, _orgId, database, policy) =>
    clusterDatabaseName(database, policy),
}
