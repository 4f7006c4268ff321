// How the two variants name the buckets behind databases and policies. Managed: a bucket of any name
// with a mapping; cluster: `db` for the default policy, `db/policy` for another, and nothing else
// says what belongs together.

import { bucketNameProblem } from '../../catalog/buckets.js'
import type { Catalog } from '../../catalog/catalog.js'
import { UserError } from '../../errors.js'
import type { DatabaseNaming } from './databases-maker.js'

const defaultPolicy = 'autogen'

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

const nameBytesMax = 64

export const clusterNaming: DatabaseNaming = {
  hasMappings: false,
  policyName: clusterPolicy,
  bucketName: async (_inside: Catalog, _orgId, database, policy) => {
    const name = clusterPolicy(policy) === defaultPolicy ? database : `${database}/${policy}`
    if (Buffer.byteLength(name) > nameBytesMax) {
      throw new UserError(
        'invalid',
        `database name "${name}" must be at most ${nameBytesMax} bytes long`,
      )
    }
    return name.slice(0, database.length) + name.slice(database.length).toLowerCase()
  },
}

function clusterPolicy(policy: string | undefined): string {
  const isDefault = policy === undefined || ['', "''", defaultPolicy, 'default'].includes(policy)
  return isDefault ? defaultPolicy : policy.toLowerCase()
}
