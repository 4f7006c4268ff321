// A driver's name and a data source name, as scripts give them → where the database is. What a driver's source may look
// like is said in files of their own; nothing that a source says may reach the files of this machine.

import type { SqlTarget } from '../../../platform/sql-connection.js'
import { FluxError, LocatedError } from '../../value/error.js'
import { mysqlTarget } from './mysql-source.js'
import { postgresTarget } from './postgres-source.js'
import { type SqlAction, sqliteTarget } from './sqlite-source.js'

/** Drivers that Flux documents and that this service has no client for. */
const otherDrivers: ReadonlySet<string> = new Set([
  'awsathena',
  'bigquery',
  'hdb',
  'mssql',
  'snowflake',
  'sqlserver',
  'vertica',
  'vertigo',
])

/** Throws the error that a query ends with before anything of it runs. */
export function targetOf(driver: string, source: string, action: SqlAction): SqlTarget {
  try {
    return parsed(driver, source, action)
  } catch (error) {
    if (!(error instanceof FluxError)) throw error
    throw new LocatedError(`failed to initialize execute state: ${error.message}`)
  }
}

function parsed(driver: string, source: string, action: SqlAction): SqlTarget {
  if (source.trim() === '') throw new FluxError('invalid data source url: empty path supplied')
  switch (driver) {
    case 'postgres':
      return postgresTarget(source)
    case 'mysql':
      return mysqlTarget(source)
    case 'sqlite3':
      return sqliteTarget(source, action)
    default: {
      const others = otherDrivers.has(driver) ? ': use mysql, postgres or sqlite3' : ''
      throw new FluxError(`sql driver ${driver} not supported${others}`)
    }
  }
}
