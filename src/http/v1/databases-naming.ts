// How the two variants name the buckets behind databases and policies. Managed: a bucket of any name
// with a mapping; cluster: `db` for the default policy, `db/policy` for another, and nothing else
// says what belongs together.

import type { Catalog } from '../../catalog/catalog.js'
import { bucketNameProblem } from '../../catalog/storage/buckets.js'
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
  bucketName: async (_inside: Catalog, _orgId, database, policy) =>
    clusterDatabaseName(database, policy),
}

/** `db`, or `db/policy` in lower case for any policy but the default ones. Throws where it is no name. */
export function clusterDatabaseName(database: string, given: string | undefined): string {
  const policy = clusterPolicy(given)
  const name = policy === defaultPolicy ? database : `${database}/${policy}`
  if (Buffer.byteLength(name) > nameBytesMax) {
    const rule = `must be at most ${nameBytesMax} bytes long`
    throw new UserError('invalid', `database name "${name}" ${rule}`)
  }
  // Tokens mean every database by it.
  if (database === '*') throw new UserError('invalid', 'database name "*" is reserved')
  if (/\p{Cc}/u.test(name)) {
    throw new UserError('invalid', 'database names have no control characters')
  }
  return name
}

function clusterPolicy(policy: string | undefined): string {
  const isDefault = policy === undefined || ['', "''", defaultPolicy, 'default'].includes(policy)
  return isDefault ? defaultPolicy : policy.toLowerCase()
}
