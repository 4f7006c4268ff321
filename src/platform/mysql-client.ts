// The client of MySQL and MariaDB: rows as they stream in, as texts; what is written goes as parameters of prepared
// statements. A server that asks for a file of this machine gets none.

import type { Readable } from 'node:stream'
import mysql from 'mysql2'
import {
  batchRows,
  messageOf,
  type ReachableTarget,
  type SqlClient,
  type SqlLimits,
} from './sql-client.js'
import type { SqlColumn, SqlEncryption, SqlParameter, SqlRow } from './sql-connection.js'
import { firstThatWorks, watchedSocket } from './watched-socket.js'

type Target = Extract<ReachableTarget, { kind: 'mysql' }>

/** The types that mean something to a script; all others are texts. */
const typeNames: ReadonlyMap<number, string> = new Map([
  [mysql.Types.TINY, 'TINYINT'],
  [mysql.Types.SHORT, 'SMALLINT'],
  [mysql.Types.LONG, 'INT'],
  [mysql.Types.LONGLONG, 'BIGINT'],
  [mysql.Types.FLOAT, 'FLOAT'],
  [mysql.Types.DOUBLE, 'DOUBLE'],
  [mysql.Types.DATETIME, 'DATETIME'],
])
const unsignedFlag = 32

export async function connectMysql(target: Target, limits: SqlLimits): Promise<SqlClient> {
  const ways = target.addresses.flatMap((address) =>
    tlsOf(target.encryption).map((tls) => () => connectTo(target, address, tls, limits)),
  )
  const client = new MysqlClient(await firstThatWorks(ways, isFromServer), target.areTablesNamed)
  for (const [name, value] of target.settings) await client.execute(`SET ${name}=${value}`, [])
  return client
}

function connectTo(
  target: Target,
  address: string,
  ssl: mysql.SslOptions | undefined,
  limits: SqlLimits,
): Promise<mysql.Connection> {
  const { host, port, user, password, database } = target
  const connection = mysql.createConnection({
    host,
    port,
    user,
    password,
    ...(database === '' ? {} : { database }),
    ...(ssl === undefined ? {} : { ssl }),
    // The host's name is only for certificates.
    stream: () => watchedSocket(limits).connect({ host: address, port }),
    connectTimeout: limits.connectSecondsMax * 1000,
    charset: 'utf8mb4',
    // No code made from what the server says, and no files for it.
    disableEval: true,
    flags: ['-LOCAL_FILES'],
    multipleStatements: false,
  })
  return new Promise((resolve, reject) => {
    // Whoever waits for an answer is told as well.
    connection.on('error', () => undefined)
    connection.connect((error) => {
      if (error === null) resolve(connection)
      else {
        connection.destroy()
        reject(error)
      }
    })
  })
}

/** In the order in which they are tried. */
function tlsOf(encryption: SqlEncryption): readonly (mysql.SslOptions | undefined)[] {
  const unverified: mysql.SslOptions = { rejectUnauthorized: false }
  const ways: Record<SqlEncryption, readonly (mysql.SslOptions | undefined)[]> = {
    none: [undefined],
    preferred: [unverified, undefined],
    unverified: [unverified],
    authority: [{ rejectUnauthorized: true }],
    full: [{ rejectUnauthorized: true, verifyIdentity: true }],
  }
  return ways[encryption]
}

class MysqlClient implements SqlClient {
  readonly #connection: mysql.Connection
  readonly #areTablesNamed: boolean
  #stream: Readable | undefined
  #rows: AsyncIterator<readonly (Buffer | null)[]> | undefined

  constructor(connection: mysql.Connection, areTablesNamed: boolean) {
    this.#connection = connection
    this.#areTablesNamed = areTablesNamed
    // A connection that breaks is not told to whoever reads rows.
    connection.on('error', (error) => this.#stream?.destroy(error))
  }

  async query(sql: string): Promise<readonly SqlColumn[]> {
    const rows = this.#connection
      .query({ sql, rowsAsArray: true, typeCast: false })
      .stream({ highWaterMark: batchRows })
    this.#stream = rows
    const fields = await fieldsOf(rows)
    this.#rows = fields === undefined ? undefined : rows[Symbol.asyncIterator]()
    if (fields === undefined) rows.resume()
    return fields?.map((field) => this.#column(field)) ?? []
  }

  #column({ name, table, columnType, flags }: mysql.FieldPacket): SqlColumn {
    const known = typeNames.get(columnType ?? -1)
    const isUnsigned = (Number(flags) & unsignedFlag) !== 0
    const typeName = known === undefined || !isUnsigned ? (known ?? '') : `UNSIGNED ${known}`
    const fullName = this.#areTablesNamed && table !== '' ? `${table}.${name}` : name
    return { name: fullName, typeName }
  }

  async next(): Promise<readonly SqlRow[]> {
    const rows: SqlRow[] = []
    while (this.#rows !== undefined && rows.length < batchRows) {
      const { done, value } = await this.#rows.next()
      if (done === true) this.#rows = undefined
      else rows.push(value.map((bytes) => bytes?.toString('utf8') ?? null))
    }
    return rows
  }

  execute(sql: string, parameters: readonly SqlParameter[]): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (error: unknown) => (error === null ? resolve() : reject(error))
      if (parameters.length === 0) this.#connection.query(sql, settle)
      else this.#connection.execute(sql, parameters.map(asParameter), settle)
    })
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.#connection.end(() => resolve()))
  }
}

/** `Error 1146 (42S02): Table 'flux.x' doesn't exist`. */
export function describeMysql(error: unknown): string {
  if (!isFromServer(error)) return messageOf(error)
  return `Error ${error.errno} (${error.sqlState}): ${error.message}`
}

interface ServerError extends Error {
  readonly errno: number
  readonly sqlState: string
}

function isFromServer(error: unknown): error is ServerError {
  if (!(error instanceof Error)) return false
  const { errno, sqlState } = error as Partial<ServerError>
  return typeof errno === 'number' && typeof sqlState === 'string'
}

/** undefined: the statement gives no rows. */
function fieldsOf(rows: Readable): Promise<readonly mysql.FieldPacket[] | undefined> {
  return new Promise((resolve, reject) => {
    rows.once('fields', resolve)
    rows.once('error', reject)
    rows.once('end', () => resolve(undefined))
  })
}

/** Whole numbers as texts: the package would make floats of them. */
function asParameter(parameter: SqlParameter): string | number | boolean | null {
  return typeof parameter === 'bigint' ? String(parameter) : parameter
}
