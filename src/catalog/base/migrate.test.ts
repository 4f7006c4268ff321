// What an opening does to tables that are up to date: it asks for the names of their migrations and nothing else. That
// they are as many as this version knows is not enough: one that it does not know is still refused.

import { sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { migrate } from './migrate.js'
import { migrations } from './migrations.js'
import { connectSqlite } from './sqlite-dialect.js'

async function migrated() {
  const { db } = connectSqlite(':memory:')
  onTestFinished(() => db.destroy())
  await migrate(db)
  return db
}

it('makes all tables, and then finds that nothing is to be done with two questions', async () => {
  const db = await migrated()
  const names = await sql<{ name: string }>`SELECT name FROM kysely_migration`.execute(db)
  expect(names.rows.map(({ name }) => name).sort()).toEqual(Object.keys(migrations).sort())
  let asked = 0
  const counting = db.withPlugin({
    transformQuery: ({ node }) => {
      asked++
      return node
    },
    transformResult: async ({ result }) => result,
  })
  await migrate(counting)
  expect(asked).toBe(2)
})

it('refuses a catalog with a migration in the place of one that it knows', async () => {
  const db = await migrated()
  const [last] = Object.keys(migrations).sort().reverse()
  await sql`UPDATE kysely_migration SET name = '9999_later' WHERE name = ${last}`.execute(db)
  await expect(migrate(db)).rejects.toThrow('the catalog cannot be brought up to date')
})

it('runs the ones that are missing', async () => {
  const db = await migrated()
  const [last] = Object.keys(migrations).sort().reverse()
  await sql`DELETE FROM kysely_migration WHERE name = ${last}`.execute(db)
  // Its tables are there already, so that running it again fails: it was not passed over.
  await expect(migrate(db)).rejects.toThrow('already exists')
})
