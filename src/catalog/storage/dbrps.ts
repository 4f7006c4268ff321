// DBRP mappings: which bucket a v1 database and retention policy mean. Where no mapping was made,
// buckets answer by their names (virtual mappings): bucket `a/b` is database `a` with policy `b`,
// bucket `a` is its default policy.

import { UserError } from '../../errors.js'
import type { CatalogContext } from '../base/context.js'
import { throwTaken } from '../base/dialect.js'
import { newId } from '../base/ids.js'
import type { DbrpRow } from '../base/tables.js'

export interface Dbrp {
  readonly id: string
  readonly orgId: string
  readonly bucketId: string
  readonly database: string
  readonly retentionPolicy: string
  readonly isDefault: boolean
  /** Not made by anybody: it follows from the bucket's name, and has the bucket's id. */
  readonly isVirtual: boolean
}

export interface DbrpInput {
  readonly orgId: string
  readonly bucketId: string
  readonly database: string
  readonly retentionPolicy: string
  readonly isDefault: boolean
}

export interface DbrpFilter {
  readonly bucketId?: string | undefined
  readonly database?: string | undefined
  readonly retentionPolicy?: string | undefined
  readonly isDefault?: boolean | undefined
}

/** What is absent stays as it is. */
export interface DbrpChange {
  readonly retentionPolicy?: string | undefined
  readonly isDefault?: boolean | undefined
}

export type Resolution =
  | { readonly kind: 'found'; readonly bucketId: string }
  | { readonly kind: 'no-database' }
  | { readonly kind: 'no-policy' }

/** What the policy of a slash-less bucket is called. */
const virtualPolicy = 'autogen'
const virtualPolicies = new Set([virtualPolicy, 'default'])

export class Dbrps {
  readonly #context: CatalogContext

  constructor(context: CatalogContext) {
    this.#context = context
  }

  /**
   * In a transaction: the default may have to move. The first mapping of a database is its default.
   */
  async create(input: DbrpInput): Promise<Dbrp> {
    checkName('database', input.database)
    checkName('retention policy', input.retentionPolicy)
    const others = await this.list(input.orgId, { database: input.database })
    if (others.some((other) => other.retentionPolicy === input.retentionPolicy)) throw taken()
    const isDefault = input.isDefault || others.length === 0
    if (isDefault) await this.clearDefault(input.orgId, input.database)
    const row: DbrpRow = {
      id: newId(this.#context.random),
      org_id: input.orgId,
      bucket_id: input.bucketId,
      database_name: input.database,
      retention_policy: input.retentionPolicy,
      is_default: isDefault ? 1 : 0,
    }
    await this.#context.db.insertInto('dbrps').values(row).execute().catch(rethrow)
    return dbrpOf(row)
  }

  /**
   * In a transaction, as `create`. Whoever gives the default up passes it on; the only mapping of a
   * database gives it up for nothing.
   */
  async update(before: Dbrp, change: DbrpChange): Promise<Dbrp> {
    if (before.isVirtual) throw new UserError('invalid', 'a virtual DBRP mapping cannot be changed')
    const { orgId, database } = before
    const { retentionPolicy = before.retentionPolicy, isDefault = before.isDefault } = change
    checkName('retention policy', retentionPolicy)
    if (isDefault && !before.isDefault) await this.clearDefault(orgId, database)
    await this.#context.db
      .updateTable('dbrps')
      .set({ retention_policy: retentionPolicy, is_default: isDefault ? 1 : 0 })
      .where('id', '=', before.id)
      .execute()
      .catch(rethrow)
    if (before.isDefault && !isDefault) await this.#promote(orgId, database, before.id)
    return { ...before, retentionPolicy, isDefault }
  }

  /** In a transaction: a deleted default is followed by the next mapping of its database. */
  async delete(dbrp: Dbrp): Promise<void> {
    if (dbrp.isVirtual) throw new UserError('invalid', 'a virtual DBRP mapping cannot be deleted')
    await this.#context.db.deleteFrom('dbrps').where('id', '=', dbrp.id).execute()
    if (dbrp.isDefault) await this.#promote(dbrp.orgId, dbrp.database, dbrp.id)
  }

  async deleteOfBucket(bucketId: string): Promise<void> {
    const query = this.#context.db.selectFrom('dbrps').selectAll()
    const rows = await query.where('bucket_id', '=', bucketId).execute()
    for (const row of rows) await this.delete(dbrpOf(row))
  }

  /** The database is left without a default, as statements of v1 may leave it. */
  async clearDefault(orgId: string, database: string): Promise<void> {
    await this.#context.db
      .updateTable('dbrps')
      .set({ is_default: 0 })
      .where('org_id', '=', orgId)
      .where('database_name', '=', database)
      .execute()
  }

  async #promote(orgId: string, database: string, exceptId: string): Promise<void> {
    const next = (await this.list(orgId, { database })).find(({ id }) => id !== exceptId)
    if (next === undefined) return
    const { db } = this.#context
    await db.updateTable('dbrps').set({ is_default: 1 }).where('id', '=', next.id).execute()
  }

  /** By its own id, or by the id of a bucket that has a virtual one. */
  async find(orgId: string, id: string): Promise<Dbrp | undefined> {
    return (await this.listAll(orgId)).find((dbrp) => dbrp.id === id)
  }

  /** With the virtual mappings of buckets that nobody mapped. */
  async listAll(orgId: string, filter: DbrpFilter = {}): Promise<Dbrp[]> {
    const explicit = await this.list(orgId)
    const buckets = await this.#context.db
      .selectFrom('buckets')
      .select(['id', 'name'])
      .where('org_id', '=', orgId)
      .orderBy('name')
      .execute()
    const mapped = new Set(explicit.map((dbrp) => dbrp.bucketId))
    const known = new Set(explicit.map(pairOf))
    const withDefault = new Set(explicit.filter((d) => d.isDefault).map((d) => d.database))
    const virtual = buckets
      .filter(({ id }) => !mapped.has(id))
      .map((bucket) => virtualDbrp(orgId, bucket, withDefault))
      .filter((dbrp) => !known.has(pairOf(dbrp)))
    return [...explicit, ...virtual].filter((dbrp) => passes(dbrp, filter))
  }

  /** Those that somebody made. */
  async list(orgId: string, filter: DbrpFilter = {}): Promise<Dbrp[]> {
    let query = this.#context.db.selectFrom('dbrps').selectAll().where('org_id', '=', orgId)
    const { bucketId, database, retentionPolicy, isDefault } = filter
    if (bucketId !== undefined) query = query.where('bucket_id', '=', bucketId)
    if (database !== undefined) query = query.where('database_name', '=', database)
    if (retentionPolicy !== undefined) {
      query = query.where('retention_policy', '=', retentionPolicy)
    }
    if (isDefault !== undefined) query = query.where('is_default', '=', isDefault ? 1 : 0)
    const rows = await query.orderBy('database_name').orderBy('retention_policy').execute()
    return rows.map(dbrpOf)
  }

  /**
   * The bucket of a v1 request. `database` may also be written `database.policy` where no policy is
   * given apart.
   */
  async resolve(orgId: string, database: string, policy: string | undefined): Promise<Resolution> {
    const whole = await this.#resolvePair(orgId, database, policy)
    const dot = database.lastIndexOf('.')
    if (whole.kind === 'found' || policy !== undefined || dot <= 0) return whole
    return this.#resolvePair(orgId, database.slice(0, dot), database.slice(dot + 1))
  }

  async #resolvePair(
    orgId: string,
    database: string,
    policy: string | undefined,
  ): Promise<Resolution> {
    const mappings = await this.list(orgId, { database })
    const mapping = mappings.find((candidate) =>
      policy === undefined ? candidate.isDefault : candidate.retentionPolicy === policy,
    )
    if (mapping !== undefined) return { kind: 'found', bucketId: mapping.bucketId }
    const byPolicy =
      policy === undefined ? undefined : await this.#bucketId(orgId, `${database}/${policy}`)
    const byDatabase = await this.#bucketId(orgId, database)
    const isDefaultPolicy = policy === undefined || virtualPolicies.has(policy)
    const bucketId = byPolicy ?? (isDefaultPolicy ? byDatabase : undefined)
    if (bucketId !== undefined) return { kind: 'found', bucketId }
    const isKnown = mappings.length > 0 || byDatabase !== undefined
    return { kind: isKnown ? 'no-policy' : 'no-database' }
  }

  /** Asked here and not of the buckets' file, which asks this one to delete mappings. */
  async #bucketId(orgId: string, name: string): Promise<string | undefined> {
    const query = this.#context.db.selectFrom('buckets').select('id').where('org_id', '=', orgId)
    return (await query.where('name', '=', name).executeTakeFirst())?.id
  }
}

function taken(): UserError {
  return new UserError('conflict', 'another DBRP mapping with same orgID, db, and rp exists')
}

function rethrow(error: unknown): never {
  throwTaken(error, taken)
}

function pairOf(dbrp: Dbrp): string {
  return `${dbrp.database}/${dbrp.retentionPolicy}`
}

function virtualDbrp(
  orgId: string,
  bucket: { readonly id: string; readonly name: string },
  withDefault: ReadonlySet<string>,
): Dbrp {
  const { id, name } = bucket
  const slash = name.indexOf('/')
  const database = slash < 0 ? name : name.slice(0, slash)
  return {
    id,
    orgId,
    bucketId: id,
    database,
    retentionPolicy: slash < 0 ? virtualPolicy : name.slice(slash + 1),
    isDefault: slash < 0 && !withDefault.has(database),
    isVirtual: true,
  }
}

function passes(dbrp: Dbrp, filter: DbrpFilter): boolean {
  const { bucketId, database, retentionPolicy, isDefault } = filter
  return (
    (bucketId === undefined || bucketId === dbrp.bucketId) &&
    (database === undefined || database === dbrp.database) &&
    (retentionPolicy === undefined || retentionPolicy === dbrp.retentionPolicy) &&
    (isDefault === undefined || isDefault === dbrp.isDefault)
  )
}

function checkName(what: string, name: string): void {
  const isGood = name !== '' && name !== '.' && name !== '..' && !/[\p{Cc}/\\]/u.test(name)
  if (isGood) return
  throw new UserError('invalid', `DBRP provided is invalid: bad ${what} name "${name}"`)
}

function dbrpOf(row: DbrpRow): Dbrp {
  return {
    id: row.id,
    orgId: row.org_id,
    bucketId: row.bucket_id,
    database: row.database_name,
    retentionPolicy: row.retention_policy,
    isDefault: Number(row.is_default) === 1,
    isVirtual: false,
  }
}
