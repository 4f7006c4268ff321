// PostgreSQL's client: texts in both directions, rows through a cursor, so that as many are under way as are asked for.
// Nothing is taken from the environment or from files: neither passwords nor certificates.

import type { ConnectionOptions } from 'node:tls'
import pg from 'pg'
import Cursor from 'pg-cursor'
import {
  batchRows,
  messageOf,
  type ReachableTarget,
  type SqlClient,
  type SqlLimits,
} from './sql-client.js'
import type { SqlColumn, SqlEncryption, SqlParameter, SqlRow } from './sql-connection.js'
import { firstThatWorks, watchedSocket } from './watched-socket.js'

type Target = Extract<ReachableTarget, { kind: 'postgres' }>

/** The types that mean something to a script; all others are texts. */
const typeNames: ReadonlyMap<number, string> = new Map([
  [16, 'BOOL'],
  [20, 'INT8'],
  [21, 'INT2'],
  [23, 'INT4'],
  [700, 'FLOAT4'],
  [701, 'FLOAT8'],
  [1082, 'DATE'],
  [1114, 'TIMESTAMP'],
  [1184, 'TIMESTAMPTZ'],
])
const byteaType = 17

/** The forms that are read back: roles may have others. */
const sessionForms = "SET DateStyle TO 'ISO, YMD'; SET bytea_output TO 'hex'"

export async function connectPostgres(target: Target, limits: SqlLimits): Promise<SqlClient> {
  const ways = target.addresses.flatMap((address) =>
    tlsOf(target).map((tls) => () => connectTo(target, address, tls, limits)),
  )
  const client = new PostgresClient(await firstThatWorks(ways, isFromServer))
  for (const [name, value] of target.settings) {
    await client.execute('SELECT set_config($1, $2, false)', [name, value])
  }
  await client.execute(sessionForms, [])
  return client
}

async function connectTo(
  target: Target,
  address: string,
  ssl: ConnectionOptions | false,
  limits: SqlLimits,
): Promise<pg.Client> {
  const { port, user, database } = target
  const client = new pg.Client({
    host: address,
    port,
    user,
    // As a function it is never looked for elsewhere, not even where it is empty.
    password: () => target.password,
    database: database === '' ? user : database,
    ssl,
    stream: () => watchedSocket(limits),
    client_encoding: 'UTF8',
    application_name: 'millrace',
    connectionTimeoutMillis: limits.connectSecondsMax * 1000,
    statement_timeout: limits.sessionSecondsMax * 1000,
  })
  // Whoever waits for an answer is told as well.
  client.on('error', () => undefined)
  await client.connect()
  return client
}

/** In the order in which they are tried. */
function tlsOf({ encryption, host }: Target): readonly (ConnectionOptions | false)[] {
  const unverified = { rejectUnauthorized: false, servername: host }
  const ways: Record<SqlEncryption, readonly (ConnectionOptions | false)[]> = {
    none: [false],
    preferred: [unverified, false],
    unverified: [unverified],
    authority: [{ servername: host, checkServerIdentity: () => undefined }],
    full: [{ servername: host }],
  }
  return ways[encryption]
}

class PostgresClient implements SqlClient {
  readonly #client: pg.Client
  #cursor: TextCursor | undefined
  #first: readonly SqlRow[] | undefined

  constructor(client: pg.Client) {
    this.#client = client
  }

  async query(sql: string): Promise<readonly SqlColumn[]> {
    this.#cursor = this.#client.query(new TextCursor(sql))
    const { rows, fields } = await this.#cursor.readRows()
    this.#first = rows
    return fields.map(({ name, dataTypeID }) => {
      return { name, typeName: typeNames.get(dataTypeID) ?? '' }
    })
  }

  async next(): Promise<readonly SqlRow[]> {
    const first = this.#first
    this.#first = undefined
    return first ?? (await this.#cursor?.readRows())?.rows ?? []
  }

  async execute(sql: string, parameters: readonly SqlParameter[]): Promise<void> {
    await this.#client.query(sql, parameters.length === 0 ? undefined : parameters.map(textOf))
  }

  async close(): Promise<void> {
    await this.#client.end()
  }
}

/** `ERROR: relation "x" does not exist (SQLSTATE 42P01)`. */
export function describePostgres(error: unknown): string {
  if (!isFromServer(error)) return messageOf(error)
  return `${error.severity ?? 'ERROR'}: ${error.message} (SQLSTATE ${error.code})`
}

function isFromServer(error: unknown): error is pg.DatabaseError {
  return error instanceof pg.DatabaseError
}

/** Everything as a text: the server knows what it becomes. */
function textOf(parameter: SqlParameter): string | null {
  return parameter === null ? null : String(parameter)
}

interface ReadRows {
  readonly rows: readonly SqlRow[]
  readonly fields: readonly pg.FieldDef[]
}

interface CopyingConnection {
  sendCopyFail(reason: string): void
}

/** The package's cursor does not expect that a statement copies rows in or out, and would end the process. */
class TextCursor extends Cursor<SqlRow> {
  constructor(sql: string) {
    const getTypeParser = (type: number) => (type === byteaType ? bytesText : sameText)
    super(sql, [], { rowMode: 'array', types: { getTypeParser: getTypeParser as never } })
  }

  readRows(): Promise<ReadRows> {
    return new Promise((resolve, reject) => {
      this.read(batchRows, (error, rows, result) => {
        if (error) reject(error)
        else resolve({ rows, fields: result?.fields ?? [] })
      })
    })
  }

  handleCopyInResponse(connection: CopyingConnection): void {
    connection.sendCopyFail('copying is not supported')
  }

  handleCopyData(): void {}
}

function sameText(text: string): string {
  return text
}

/** `\x4142` → `AB`. */
function bytesText(text: string): string {
  return Buffer.from(text.slice(2), 'hex').toString('utf8')
}
