// The catalog in a SQLite file, opened by the platform: what no other process has open, with statements that are
// answered synchronously.

import { dirname } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { Kysely, type KyselyPlugin, SqliteAdapter, SqliteDialect, sql } from 'kysely'
import { ChangeWitness } from '../../platform/change-witness.js'
import { type CopiedFiles, copyFiles, isReadOnlyFolder } from '../../platform/read-only-folder.js'
import { type Database, openDatabase, sqliteFailure } from '../../platform/sqlite.js'
import { type ChangeTracking, type StatementRules, trackedDialect } from './change-tracking.js'
import type { Connection } from './connection.js'
import { catalogFiles, SealedLog } from './sealed-log.js'
import type { CatalogTables } from './tables.js'

/** `:memory:` opens a database that nobody else sees and that ends with `destroy`. */
export function connectSqlite(path: string): Connection {
  const tracking: ChangeTracking = {}
  const copy = copyToRead(path)
  const opened = copy?.path(path) ?? path
  const database = openDatabase(opened)
  const log = path === ':memory:' ? undefined : new SealedLog(opened, database, path)
  const sqlite = new WholeMigrations({ database })
  const dialect = trackedDialect(sqlite, tracking, statementRules(path, log))
  const db = new Kysely<CatalogTables>({ dialect, plugins: [new Pauses()] })
  const kept = log && { log, witness: ChangeWitness.open(`${opened}-changes`) }
  const copyTo = async (copy: string) => {
    await sql`VACUUM INTO ${copy}`.execute(db)
  }
  const connection = { db, tracking, isRepeatable: () => false, copyTo, ...kept }
  if (copy === undefined)
    return { ...connection, fillNew: (script) => fillNew(database, path, script) }
  const refuseChanges = async () => {
    await sql`PRAGMA query_only = ON`.execute(db)
  }
  return { ...connection, refuseChanges, discard: () => copy.remove() }
}

/** Killed in the midst of it, a process leaves nothing, as with `WholeMigrations`. */
function fillNew(database: Database, path: string, script: () => string): boolean {
  try {
    if (database.prepare('SELECT 1 FROM sqlite_master LIMIT 1').all().length > 0) return false
    database.exec('BEGIN IMMEDIATE')
    try {
      database.exec(script())
      database.exec('COMMIT')
    } catch (error) {
      // A full disk may have ended the transaction already.
      if (database.inTransaction) database.exec('ROLLBACK')
      throw error
    }
    return true
  } catch (error) {
    throw sqliteFailure(path, error) ?? error
  }
}

/** On a disk that is read-only SQLite opens no database with a log: a copy is looked into, and never changed. */
function copyToRead(path: string): CopiedFiles | undefined {
  if (path === ':memory:' || !isReadOnlyFolder(dirname(path))) return undefined
  return copyFiles(catalogFiles(path))
}

function statementRules(path: string, log: SealedLog | undefined): StatementRules {
  const explain = (error: unknown) => sqliteFailure(path, error) ?? error
  return {
    async run(_query, _isInTransaction, execute) {
      try {
        return await execute()
      } catch (error) {
        throw explain(error)
      } finally {
        log?.noteStatement()
      }
    },
    explain,
  }
}

/**
 * Tables are made in a transaction, which SQLite can do and its adapter does not count on: a process that is killed
 * while it makes a catalog leaves none, and not half of one that nobody can open.
 */
class WholeMigrations extends SqliteDialect {
  override createAdapter(): SqliteAdapter {
    return new TransactionalAdapter()
  }
}

class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true
  }
}

/** About 10 ms of small statements. */
const statementsPerPause = 200

/**
 * SQLite answers at once, so that a long transaction would never let go of the thread: no write would be served until
 * it is over, and nothing that statements leave to be freed later would be (1 kB each, 220 MB after 100,000 tokens).
 */
class Pauses implements KyselyPlugin {
  #statements = 0

  transformQuery: KyselyPlugin['transformQuery'] = ({ node }) => node

  transformResult: KyselyPlugin['transformResult'] = async ({ result }) => {
    if (++this.#statements % statementsPerPause === 0) await setImmediate()
    return result
  }
}
