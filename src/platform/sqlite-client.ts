// SQLite's client, for files in the folder that scripts may use. A question may only be a SELECT, and the file cannot be
// changed meanwhile: SQL can open other files of the machine (ATTACH, VACUUM INTO), and no such statement is run.

import { batchRows, type ReachableTarget, type SqlClient } from './sql-client.js'
import type { SqlColumn, SqlParameter, SqlRow, SqlValue } from './sql-connection.js'
import { connect, type Database, rawStatement } from './sqlite.js'

type Target = Extract<ReachableTarget, { kind: 'sqlite' }>

export function connectSqlite({ file, access }: Target): SqlClient {
  const database = connect(file)
  try {
    database.exec('PRAGMA busy_timeout = 5000')
    database.exec('PRAGMA trusted_schema = OFF')
    if (access === 'read') database.exec('PRAGMA query_only = ON')
    return new SqliteClient(database)
  } catch (error) {
    database.close()
    throw error
  }
}

class SqliteClient implements SqlClient {
  readonly #database: Database
  #rows: IterableIterator<readonly (SqlValue | Uint8Array)[]> | undefined

  constructor(database: Database) {
    this.#database = database
  }

  async query(sql: string): Promise<readonly SqlColumn[]> {
    if (!isQuestion(sql)) throw new Error('only SELECT statements can be run on SQLite databases')
    const statement = rawStatement(this.#database, sql)
    const columns = statement.columns()
    this.#rows = statement.iterate()
    return columns.map(({ name, type }) => ({ name, typeName: type?.toUpperCase() ?? '' }))
  }

  async next(): Promise<readonly SqlRow[]> {
    const rows: SqlRow[] = []
    while (this.#rows !== undefined && rows.length < batchRows) {
      const { done, value } = this.#rows.next()
      if (done === true) this.#rows = undefined
      else rows.push(value.map(withoutBytes))
    }
    return rows
  }

  async execute(sql: string, parameters: readonly SqlParameter[]): Promise<void> {
    if (parameters.length === 0) this.#database.exec(sql)
    else this.#database.prepare(sql).run(parameters)
  }

  async close(): Promise<void> {
    this.#database.close()
  }
}

const question = /^(?:\s|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)*(?:select|with|values)\b/i

/** Whatever stands behind the first statement is never run. */
function isQuestion(sql: string): boolean {
  return question.test(sql)
}

function withoutBytes(value: SqlValue | Uint8Array): SqlValue {
  return value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : value
}
