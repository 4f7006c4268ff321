// DBRP mappings: which bucket a v1 database and retention policy mean. Where no mapping was made,
// buckets answer by their names (virtual mappings): bucket `a/b` is database `a` with policy `b`,
// bucket `a` is its default policy.

import { UserError } from '../errors.js'
import { type Bucket, Buckets } from './buckets.js'
import type { CatalogContext } from './context.js'
import { newId } from './ids.js'
import type { DbrpRow } from './tables.js'

export interface Dbrp {
  readonly id: string
  readonly orgId: string
  readonly bucketId: string
  readonly database: string
  readonly retentionPolicy: string
  readonly isDefault: boolean
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

export type Resolution =
  | { readonly kind: 'found'; readonly bucketId: string }
  | { readonly kind: 'no-database' }
  | { readonly kind: 'no-policy' }

/** What a slash-less bucket's only policy is called. */
const virtualPolicies = new Set(['autogen', 'default'])

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
    if (others.some((other) => other.retentionPolicy === input.retentionPolicy)) {
      const reason = 'another DBRP mapping with same orgID, db, and rp exists'
      throw new UserError('conflict', reason)
    }
    const isDefault = input.isDefault || others.length === 0
    const { db } = this.#context
    if (isDefault) {
      await db
        .updateTable('dbrps')
        .set({ is_default: 0 })
        .where('org_id', '=', input.orgId)
        .where('database_name', '=', input.database)
        .execute()
    }
    const row: DbrpRow = {
      id: newId(this.#context.random),
      org_id: input.orgId,
      bucket_id: input.bucketId,
      database_name: input.database,
      retention_policy: input.retentionPolicy,
      is_default: isDefault ? 1 : 0,
    }
    await db.insertInto('dbrps').values(row).execute()
    this.#context.changed({ kind: 'dbrps-changed' })
    return dbrpOf(row)
  }

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
    const buckets = new Buckets(this.#context)
    const byPolicy =
      policy === undefined ? undefined : await buckets.findByName(orgId, `${database}/${policy}`)
    const byDatabase = await buckets.findByName(orgId, database)
    const isDefaultPolicy = policy === undefined || virtualPolicies.has(policy)
    const bucket: Bucket | undefined = byPolicy ?? (isDefaultPolicy ? byDatabase : undefined)
    if (bucket !== undefined) return { kind: 'found', bucketId: bucket.id }
    const isKnown = mappings.length > 0 || byDatabase !== undefined
    return { kind: isKnown ? 'no-policy' : 'no-database' }
  }
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
  }
}
