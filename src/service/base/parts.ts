// What the service stands on: the parts of the program that whoever starts it opens and joins. Everything in this
// folder is given them; nothing here opens, configures or closes one.

import type { Authenticator } from '../../access/authenticator.js'
import type { Passwords } from '../../access/passwords.js'
import type { Catalog } from '../../catalog/catalog.js'
import type { Config } from '../../config.js'
import type { FluxLanguage } from '../../flux/flux.js'
import type { InfluxqlScope } from '../../influxql/scope/scope.js'
import type { BackgroundTurns } from '../../platform/background-turns.js'
import type { Clock } from '../../platform/clock.js'
import type { OutgoingHttp } from '../../platform/outgoing-http.js'
import type { Random } from '../../platform/random.js'
import type { OutsideDatabases } from '../../platform/sql-connection.js'
import type { Language } from '../../query/language.js'
import type { SqlScope } from '../../sql/plan/scope.js'
import type { Store } from '../../store/store.js'
import type { Log } from './log.js'

export interface Languages {
  readonly influxql: Language<InfluxqlScope>
  readonly sql: Language<SqlScope>
  /** Loaded when it is first asked for: a quarter of the program, which many installations never need. */
  readonly flux: () => Promise<FluxLanguage>
}

export interface ServiceParts {
  readonly config: Config
  readonly store: Store
  readonly catalog: Catalog
  readonly authenticator: Authenticator
  readonly passwords: Passwords
  readonly clock: Clock
  readonly random: Random
  /** For scripts that ask other services. */
  readonly outgoing: OutgoingHttp
  readonly databasesOutside: OutsideDatabases
  /** For what nobody waits for. */
  readonly turns: BackgroundTurns
  readonly log: Log
  /** The organization that holds the databases of the cluster variant. */
  readonly homeOrgId: string | undefined
  /** What its database tokens are signed with. */
  readonly databaseTokenKey: Uint8Array | undefined
  readonly languages: Languages
}
