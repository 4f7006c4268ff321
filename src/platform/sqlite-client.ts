// SQLite's client, for files in the folder that scripts may use. A question may only be a SELECT, and the file cannot
// be changed meanwhile: SQL can open other files of the machine (ATTACH, VACUUM INTO), and no such statement is run.

import { batchRows, type ReachableTarget, type SqlClient } from './sql-client.js'
import type { SqlColumn, SqlParameter, SqlRow, SqlValue } from './sql-connection.js'
import { connect, type Database, type RawStatement, rawStatement } from './sqlite.js'

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
    const statement = prepareQuestion(this.#database, sql)
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

const firstWord = /^(?:\s|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)*([a-z]+)/i
const questions = new Set(['select', 'with', 'values'])

/** Those that do something. A pragma may do it while it is prepared: none of them gets that far. */
const commands = new Set(
  `alter analyze attach begin commit create delete detach drop end explain insert pragma reindex release replace
   rollback savepoint update vacuum`.split(/\s+/),
)

const onlyQuestions = 'only SELECT statements can be run on SQLite databases'

/** Whatever stands behind the first statement is never run. */
function prepareQuestion(database: Database, sql: string): RawStatement {
  const word = firstWord.exec(sql)?.[1].toLowerCase() ?? ''
  if (commands.has(word)) throw new Error(onlyQuestions)
  // What is no statement at all is told by the database.
  const statement = rawStatement(database, sql)
  if (!questions.has(word)) throw new Error(onlyQuestions)
  return statement
}

function withoutBytes(value: SqlValue | Uint8Array): SqlValue {
  return value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : value
}
