// What a process of the cluster variant does: everything, only writes (ingest) or only queries. A request of the other
// kind is told to go elsewhere, with 503: whoever sends it again may reach a process that takes it, and no client drops
// its points for it. Databases and tokens can be managed through either.

import type { Action } from '../../access/permissions.js'
import type { Config } from '../../config.js'
import { UserError } from '../../errors.js'

export function requireRole({ role }: Pick<Config, 'role'>, action: Action): void {
  if (role === 'ingest' && action === 'read') {
    const text = 'this process only takes writes (--role ingest): send queries to a querier'
    throw new UserError('unavailable', text)
  }
  if (role === 'query' && action === 'write') {
    const text = 'this process only answers queries (--role query): send writes to an ingester'
    throw new UserError('unavailable', text)
  }
}
