// What the routes work with, made and joined by whoever builds the app. Routes get this and nothing
// else: no route opens, configures or closes a part of the house. Who has a database's name and
// wants its bucket asks `databaseBucket` in `database-bucket.ts`, in both variants.

import type { Authenticator } from '../access/authenticator.js'
import type { Catalog } from '../catalog/catalog.js'
import type { Config, LogLevel } from '../config.js'
import type { FluxScope } from '../flux/context/scope.js'
import type { InfluxqlScope } from '../influxql/scope/scope.js'
import type { Clock } from '../platform/clock.js'
import type { OutgoingHttp } from '../platform/outgoing-http.js'
import type { Random } from '../platform/random.js'
import type { OutsideDatabases } from '../platform/sql-connection.js'
import type { ActiveQueries } from '../query/active-queries.js'
import type { Language, TablePiece } from '../query/language.js'
import type { SqlScope } from '../sql/plan/scope.js'
import type { Store } from '../store/store.js'
import type { ApiDocument } from './api-document.js'
import type { BodyReader } from './body.js'
import type { ServerMetrics } from './metrics.js'
import type { ParserRegistry } from './parsers.js'
import type { Targets } from './targets.js'
import type { WriteGate } from './write-gate.js'

export type Log = (
  level: LogLevel,
  message: string,
  fields?: Readonly<Record<string, unknown>>,
) => void

/** The parts of the house that the HTTP interface stands on. */
export interface Foundation {
  readonly config: Config
  readonly store: Store
  readonly catalog: Catalog
  readonly authenticator: Authenticator
  readonly clock: Clock
  readonly random: Random
  /** For scripts that ask other services. */
  readonly outgoing: OutgoingHttp
  readonly databasesOutside: OutsideDatabases
  readonly log: Log
  /** The organization that holds the databases of the cluster variant. */
  readonly homeOrgId: string | undefined
  /** What its database tokens are signed with. */
  readonly databaseTokenKey: Uint8Array | undefined
  readonly influxql: Language<InfluxqlScope>
  /** Loaded when it is first asked for: a quarter of the program, which many services never need. */
  readonly flux: () => Promise<Language<FluxScope, TablePiece>>
  readonly sql: Language<SqlScope>
}

export interface Services extends Foundation {
  readonly bodies: BodyReader
  readonly queryBodies: BodyReader
  readonly queries: ActiveQueries
  readonly gate: WriteGate
  readonly metrics: ServerMetrics
  readonly parsers: ParserRegistry
  readonly targets: Targets
  /** What the routes are, collected as they are registered. */
  readonly document: ApiDocument
  readonly startedAt: bigint
}
