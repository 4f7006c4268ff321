// The package `sql`: tables from databases outside the service, and tables written into them. PostgreSQL, MySQL
// (MariaDB) and SQLite; other drivers that Flux knows are refused by name.

import { type Definitions, native } from '../../package/define.js'
import { from } from './from.js'
import { to } from './to.js'

export const sqlBuiltins: Definitions = {
  from: native('(driverName: string, dataSourceName: string, query: string) => stream[A]', from),
  to: native(
    `(<-tables: stream[A], driverName: string, dataSourceName: string, table: string,
          ?batchSize: int) => stream[A]`,
    to,
    true,
  ),
}
