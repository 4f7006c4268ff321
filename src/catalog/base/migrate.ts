// Brings the tables of a catalog up to date. Where several processes share one, they are upgraded one after the other:
// the first of the new version changes the tables while those of the old one go on, and may be started again. So a
// migration adds what the version before does not mind. One that it could not live with has a name that ends with
// `_for_all`: it waits until no other process runs, and no older version opens the catalog after it.

import { type Kysely, type Migration, Migrator, sql } from 'kysely'
import { UserError } from '../../errors.js'
import { hasTable } from './dialect.js'
import { migrations } from './migrations.js'

export interface SharedMigration {
  /** Processes that are at the catalog. */
  readonly others: () => Promise<readonly string[]>
  /** Absent: those of this version. */
  readonly known?: Readonly<Record<string, Migration>>
}

const isForAll = (name: string) => name.endsWith('_for_all')

/** Without `shared` nobody else has the catalog open, and one made by a newer version is an error, not a loss. */
export async function migrate<T>(db: Kysely<T>, shared?: SharedMigration): Promise<void> {
  const known = shared?.known ?? migrations
  const done = await doneNames(db)
  if (isComplete(done, known)) return
  if (shared !== undefined) await mustBeAlone(done, known, shared)
  const error = await run(db, known)
  if (error === undefined) return
  const later = shared === undefined ? [] : await laterNames(db, known)
  if (later.length === 0) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`the catalog cannot be brought up to date: ${reason}`, { cause: error })
  }
  const [unknown] = later.filter(isForAll)
  if (unknown !== undefined) {
    throw new UserError(
      'invalid',
      `the catalog was changed by a newer version of this program (${unknown}), and this one does not ` +
        'understand it: start that version, or a newer one',
    )
  }
  const nothing: Migration = { up: async () => undefined }
  const again = await run(db, {
    ...known,
    ...Object.fromEntries(later.map((name) => [name, nothing])),
  })
  if (again !== undefined) throw again
}

async function run<T>(db: Kysely<T>, known: Readonly<Record<string, Migration>>): Promise<unknown> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ ...known }) } })
  return (await migrator.migrateToLatest()).error
}

/**
 * Whether nothing is to be done, as at nearly every start. Kysely finds that out too, after it has looked at every
 * column of every table twice: a third of the time in which a catalog is opened.
 */
function isComplete(done: readonly string[], known: Readonly<Record<string, Migration>>): boolean {
  const names = new Set(Object.keys(known))
  return done.length === names.size && done.every((name) => names.has(name))
}

/** Throws where a migration is to come that others could not live with. */
async function mustBeAlone(
  done: readonly string[],
  known: Readonly<Record<string, Migration>>,
  { others }: SharedMigration,
): Promise<void> {
  const coming = Object.keys(known).filter((name) => isForAll(name) && !done.includes(name))
  // A catalog with nothing in it has no processes either.
  if (coming.length === 0 || done.length === 0) return
  const running = await others()
  if (running.length === 0) return
  throw new UserError(
    'invalid',
    `this version changes the catalog in a way that older ones do not understand (${coming[0]}), and ` +
      `these processes still run: ${running.join(', ')}. Stop all of them, start one of this version, then the others`,
  )
}

async function laterNames<T>(
  db: Kysely<T>,
  known: Readonly<Record<string, Migration>>,
): Promise<string[]> {
  return (await doneNames(db)).filter((name) => !Object.hasOwn(known, name))
}

async function doneNames<T>(db: Kysely<T>): Promise<string[]> {
  if (!(await hasTable(db, 'kysely_migration'))) return []
  const { rows } = await sql<{ name: string }>`SELECT name FROM kysely_migration`.execute(db)
  return rows.map(({ name }) => name)
}
