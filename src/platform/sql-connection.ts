// Databases outside the service, as scripts use them: where one is, how it is asked, and what it says. Types only. What
// the columns mean to a script is not known here.

export type SqlTarget = PostgresTarget | MysqlTarget | SqliteTarget

/**
 * `none`: plain. `preferred`: encrypted where the server can. `unverified`: encrypted, whoever the server is.
 * `authority`: with a certificate of a known authority. `full`: and for this host.
 */
export type SqlEncryption = 'none' | 'preferred' | 'unverified' | 'authority' | 'full'

interface ServerTarget {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: string
  /** Empty: none is chosen. */
  readonly database: string
  readonly encryption: SqlEncryption
  /** Of the session, by name, as the source names them. */
  readonly settings: ReadonlyMap<string, string>
}

export interface PostgresTarget extends ServerTarget {
  readonly kind: 'postgres'
}

export interface MysqlTarget extends ServerTarget {
  readonly kind: 'mysql'
  /** Columns are told as `table.column`. */
  readonly areTablesNamed: boolean
}

/** `read`: nothing can be changed. `change`: the file must be there. `make`: it is made where there is none. */
export type SqliteAccess = 'read' | 'change' | 'make'

export interface SqliteTarget {
  readonly kind: 'sqlite'
  /** Relative to the folder for scripts, or within it. undefined: in memory, and gone at the end. */
  readonly path: string | undefined
  readonly access: SqliteAccess
}

export type SqlParameter = string | number | bigint | boolean | null

/** As the protocol brings it: servers send texts, SQLite has numbers. Bytes are told as the text they hold. */
export type SqlValue = string | number | bigint | null

export type SqlRow = readonly SqlValue[]

export interface SqlColumn {
  readonly name: string
  /** In capitals, as the database calls it; empty where nobody needs to know. */
  readonly typeName: string
}

export interface SqlRows {
  /** None: the statement gives no rows. */
  readonly columns: readonly SqlColumn[]
  /** Read once, and to the end before anything else is asked of the connection. */
  readonly batches: AsyncIterable<readonly SqlRow[]>
}

/** One session. A failure of what was asked throws UserError in the database's own words. */
export interface SqlConnection {
  query(sql: string): Promise<SqlRows>
  execute(sql: string, parameters?: readonly SqlParameter[]): Promise<void>
  /** Never throws. What was not committed is gone. */
  close(): Promise<void>
}

export interface OutsideDatabases {
  /** Throws UserError where the database cannot or may not be reached. An abort ends the session at any time. */
  connect(target: SqlTarget, signal: AbortSignal): Promise<SqlConnection>
}
