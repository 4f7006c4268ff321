// What a process of the cluster variant does: everything, only writes (ingest) or only queries. A
// request of the other kind is told to go elsewhere, with 503: whoever sends it again may reach a
// process that takes it, and no client drops its points for it. Databases and tokens can be managed
// through either.

import type { Action } from '../access/permissions.js'
import type { Config } from '../config.js'
import { UserError } from '../errors.js'
import type { App } from './app.js'

type RoleOptions = Pick<Config, 'role'>

export function requireRole({ role }: RoleOptions, action: Action): void {
  if (role === 'ingest' && action === 'read') {
    const text = 'this process only takes writes (--role ingest): send queries to a querier'
    throw new UserError('unavailable', text)
  }
  if (role === 'query' && action === 'write') {
    const text = 'this process only answers queries (--role query): send writes to an ingester'
    throw new UserError('unavailable', text)
  }
}

/** What each route is for. Ping asks for the querier; to ask for an ingester, clients send a write. */
const actions: ReadonlyMap<string, Action> = new Map([
  ['/write', 'write'],
  ['/api/v2/write', 'write'],
  ['/api/v3/write_lp', 'write'],
  ['/ping', 'read'],
  ['/query', 'read'],
  ['/api/v3/query_sql', 'read'],
  ['/api/v3/query_influxql', 'read'],
  ['/debug/export', 'read'],
])

/** Before the routes are added. */
export function guardRole(app: App, config: RoleOptions): void {
  if (config.role === 'all') return
  app.addHook('onRequest', (request, _reply, done) => {
    const action = actions.get(request.routeOptions.url ?? '')
    if (action !== undefined) requireRole(config, action)
    done()
  })
}
