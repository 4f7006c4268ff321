// What the cluster variant calls the bucket of a database and a policy: `db` for the default policy, `db/policy` for
// another.

import { UserError } from '../../errors.js'

const defaultPolicy = 'autogen'
const nameBytesMax = 64

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

export function clusterPolicy(policy: string | undefined): string {
  const isDefault = policy === undefined || ['', "''", defaultPolicy, 'default'].includes(policy)
  return isDefault ? defaultPolicy : policy.toLowerCase()
}
