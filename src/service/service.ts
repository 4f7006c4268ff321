// What the program does, apart from how it is asked: one object that HTTP, Flight and tasks call. Writing, querying in
// every language, v1 databases, limits and usage; who may do what is checked on the way.

import type { CacheFigures } from '../platform/lru-cache.js'
import { Backups } from './backup/backup-stream.js'
import { Failures } from './base/failures.js'
import { Health } from './base/health.js'
import { HeldWrites } from './base/held-writes.js'
import { LastUses } from './base/last-uses.js'
import type { ServiceParts } from './base/parts.js'
import { TaskIdentities } from './base/task-identities.js'
import { DatabaseDirectories } from './databases/directory.js'
import { Imports } from './imports/imports.js'
import { noLimits, type OrganizationLimits } from './limits/organization-limits.js'
import { RateLimits } from './limits/rate-limits.js'
import { Usage } from './limits/usage.js'
import { Queries } from './query/queries.js'
import type { QueryThreadsOptions } from './query-thread/query-threads.js'
import { ReplicationQueues } from './replication/replications.js'
import { DefinedTables } from './tables/defined-tables.js'
import { TableStore } from './tables/table-store.js'
import { Targets } from './targets/targets.js'
import { Writes } from './write/writes.js'

export interface Service extends ServiceParts {
  readonly failures: Failures
  readonly health: Health
  readonly targets: Targets
  readonly taskIdentities: TaskIdentities
  readonly directories: DatabaseDirectories
  readonly limits: OrganizationLimits
  readonly usage: Usage
  readonly lastUses: LastUses
  readonly writes: Writes
  readonly replications: ReplicationQueues
  readonly imports: Imports
  readonly queries: Queries
  readonly backups: Backups
  readonly heldWrites: HeldWrites
}

/** What is cached, by name, for monitoring. */
export function cacheFigures(service: Service): Readonly<Record<string, CacheFigures>> {
  const { queries, authenticator, targets, directories, taskIdentities } = service
  return {
    'prepared-queries': queries.prepared.figures(),
    tokens: authenticator.figures(),
    targets: targets.figures(),
    databases: directories.figures(),
    'task-owners': taskIdentities.figures(),
  }
}

/** `threads`: that long queries run on; absent: all run on the thread that serves. */
export function buildService(parts: ServiceParts, threads?: QueryThreadsOptions): Service {
  const { clock, config } = parts
  const definedTables = new DefinedTables(parts.catalog)
  const heldWrites = new HeldWrites(clock)
  const store = new TableStore(parts.store, definedTables, heldWrites)
  const targets = new Targets(parts)
  const directories = new DatabaseDirectories(parts)
  const usage = new Usage(clock, parts.catalog.usageHours, parts.catalog.nodes?.questions)
  const lastUses = new LastUses(clock, parts.authenticator, parts.catalog.tokenUses)
  // The cluster has one organization, which nobody pays for.
  const limits = config.variant === 'cluster' ? noLimits : new RateLimits(parts, usage)
  const replications = new ReplicationQueues(parts)
  const writes = new Writes({ ...parts, store, definedTables, targets, limits, replications })
  const failures = new Failures(parts.log)
  const taskIdentities = new TaskIdentities(parts)
  const health = new Health(parts.catalog, parts.store, clock)
  const joined = {
    ...parts,
    store,
    failures,
    health,
    targets,
    taskIdentities,
    directories,
    limits,
    usage,
    lastUses,
    writes,
    replications,
    imports: new Imports({ ...parts, writes }),
    backups: new Backups({ ...parts, store }),
    heldWrites,
  }
  return { ...joined, queries: new Queries(joined, threads) }
}
