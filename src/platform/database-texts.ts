// Whether every text of a database is one: SQLite hands out whatever bytes a damaged page holds, and the package ends
// the whole process where they are no UTF-8.

import { isUtf8 } from 'node:buffer'
import type { Database } from './sqlite.js'

const schema = 'sqlite_schema'

/** Where the first that is none stands, in words; undefined: all are texts. */
export function damagedText(database: Database): string | undefined {
  const ofSchema = damagedColumn(database, schema, ['type', 'name', 'tbl_name', 'sql'])
  if (ofSchema !== undefined) return ofSchema
  const names = (statement: string, parameters: readonly unknown[] = []) =>
    (database.prepare(statement).all(parameters) as { name: string }[]).map(({ name }) => name)
  for (const table of names(`SELECT name FROM ${schema} WHERE type = 'table'`)) {
    const columns = names('SELECT name FROM pragma_table_info(?)', [table])
    const found = damagedColumn(database, table, columns)
    if (found !== undefined) return found
  }
  return undefined
}

function damagedColumn(
  database: Database,
  table: string,
  columns: readonly string[],
): string | undefined {
  const bytes = columns.map((name, i) => {
    const column = quoted(name)
    return `CASE typeof(${column}) WHEN 'text' THEN CAST(${column} AS BLOB) END AS c${i}`
  })
  const statement = database.prepare(`SELECT ${bytes.join(', ')} FROM ${quoted(table)}`)
  for (const row of statement.iterate()) {
    const values = Object.values(row as Record<string, Uint8Array | null>)
    const at = values.findIndex((value) => value !== null && !isUtf8(value))
    if (at >= 0) return `column ${columns[at]} of table ${table}`
  }
  return undefined
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
