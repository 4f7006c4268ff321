// A catalog that is made in one go is the one that all migrations come to: the same tables, indexes and triggers, and
// the same migrations that are known to have run.

import { type Kysely, sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { migrate } from './migrate.js'
import { migrations } from './migrations.js'
import { newTablesScript } from './new-tables.js'
import { connectSqlite } from './sqlite-dialect.js'
import type { CatalogTables } from './tables.js'

const script = () => newTablesScript(Object.keys(migrations))

function newDatabase() {
  const connection = connectSqlite(':memory:')
  onTestFinished(() => connection.db.destroy())
  return connection
}

async function madeOf(db: Kysely<CatalogTables>) {
  const parts = await sql<{ type: string; name: string; sql: string | null }>`
    SELECT type, name, sql FROM sqlite_master ORDER BY type, name`.execute(db)
  return parts.rows.map((part) => ({ ...part, sql: part.sql?.replace(/\s+/g, ' ') ?? null }))
}

async function doneIn(db: Kysely<CatalogTables>) {
  const names = await sql<{
    name: string
  }>`SELECT name FROM kysely_migration ORDER BY name`.execute(db)
  const locks = await sql`SELECT * FROM kysely_migration_lock`.execute(db)
  return { names: names.rows, locks: locks.rows }
}

it('makes what the migrations make', async () => {
  const { db: migrated } = newDatabase()
  await migrate(migrated)
  const { db, fillNew } = newDatabase()
  expect(fillNew?.(script)).toBe(true)
  expect(await madeOf(db)).toEqual(await madeOf(migrated))
  expect(await doneIn(db)).toEqual(await doneIn(migrated))
})

it('leaves what a later migration is run on as it would be run on any other', async () => {
  const { db, fillNew } = newDatabase()
  fillNew?.(script)
  const known = {
    ...migrations,
    '9999_more': {
      up: (any: Kysely<unknown>) => sql`ALTER TABLE tokens ADD COLUMN c text`.execute(any),
    },
  }
  await migrate(db, { known: known as never, others: async () => [] })
  expect((await sql`SELECT c FROM tokens`.execute(db)).rows).toEqual([])
  expect((await doneIn(db)).names.at(-1)).toEqual({ name: '9999_more' })
})

it('leaves a database alone that has something in it', async () => {
  const { db, fillNew } = newDatabase()
  await sql`CREATE TABLE t (c text)`.execute(db)
  expect(fillNew?.(script)).toBe(false)
  expect(await madeOf(db)).toHaveLength(1)
})

it('leaves nothing of a script that fails', async () => {
  const { db, fillNew } = newDatabase()
  expect(() => fillNew?.(() => `${script()} nonsense`)).toThrow('syntax error')
  expect(await madeOf(db)).toEqual([])
  expect(fillNew?.(script)).toBe(true)
})
