// The catalog: every resource of an installation and its rules, one file per resource, joined here.
// Callers hear of changes (to set a bucket's retention, to forget tokens) after they are durable.

import type { Kysely } from 'kysely'
import type { Clock } from '../platform/clock.js'
import type { Random } from '../platform/random.js'
import { Buckets } from './buckets.js'
import type { CatalogContext, Change } from './context.js'
import { Dbrps } from './dbrps.js'
import { connect } from './dialect.js'
import { migrate } from './migrations.js'
import { Organizations } from './organizations.js'
import type { CatalogTables } from './tables.js'
import { Tokens } from './tokens.js'
import { Users } from './users.js'

export interface CatalogOptions {
  /** The database file, or `:memory:`. */
  readonly path: string
  readonly clock: Clock
  readonly random: Random
}

export class Catalog {
  readonly organizations: Organizations
  readonly users: Users
  readonly buckets: Buckets
  readonly tokens: Tokens
  readonly dbrps: Dbrps
  readonly #context: CatalogContext
  readonly #listeners: Set<(change: Change) => void>

  private constructor(context: CatalogContext, listeners: Set<(change: Change) => void>) {
    this.#context = context
    this.#listeners = listeners
    this.organizations = new Organizations(context)
    this.users = new Users(context)
    this.buckets = new Buckets(context)
    this.tokens = new Tokens(context)
    this.dbrps = new Dbrps(context)
  }

  static async open(options: CatalogOptions): Promise<Catalog> {
    const db = connect(options.path)
    try {
      await migrate(db)
    } catch (error) {
      await db.destroy()
      throw error
    }
    const listeners = new Set<(change: Change) => void>()
    const changed = (change: Change) => {
      for (const listener of listeners) listener(change)
    }
    const { clock, random } = options
    return new Catalog({ db, clock, random, changed }, listeners)
  }

  onChange(listener: (change: Change) => void): void {
    this.#listeners.add(listener)
  }

  /** All of it happens or nothing. Inside, only the catalog that is passed in may be used. */
  async inTransaction<T>(work: (inside: Catalog) => Promise<T>): Promise<T> {
    const changes: Change[] = []
    const changed = (change: Change) => {
      changes.push(change)
    }
    const result = await this.#context.db.transaction().execute((db: Kysely<CatalogTables>) => {
      return work(new Catalog({ ...this.#context, db, changed }, new Set()))
    })
    for (const change of changes) this.#context.changed(change)
    return result
  }

  async close(): Promise<void> {
    await this.#context.db.destroy()
  }
}
