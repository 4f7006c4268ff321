// Buckets: named containers of points with a retention, names unique in their organization. In the
// cluster variant they are called databases.

import { UserError } from '../../errors.js'
import { type CatalogContext, requireOrganization, timestamp } from '../base/context.js'
import { throwTaken } from '../base/dialect.js'
import { isId, newId } from '../base/ids.js'
import { cutPage, type Page } from '../base/page.js'
import type { BucketRow } from '../base/tables.js'
import { Dbrps } from './dbrps.js'

export interface Bucket {
  readonly id: string
  readonly orgId: string
  readonly name: string
  readonly description: string
  readonly type: 'user' | 'system'
  readonly schemaType: 'implicit' | 'explicit'
  /** 0: kept for ever. */
  readonly retentionSeconds: number
  readonly createdAt: string
  readonly updatedAt: string
}

export interface BucketInput {
  readonly orgId: string
  readonly name: string
  readonly description?: string
  readonly schemaType?: 'implicit' | 'explicit'
  /** Absent: 30 days. 0: kept for ever. */
  readonly retentionSeconds?: number
}

/** What is absent stays as it is. */
export interface BucketChange {
  readonly name?: string | undefined
  readonly description?: string | undefined
  readonly retentionSeconds?: number | undefined
}

/** A list is cut into pages after this: what a caller may not see takes no place on them. */
export interface BucketFilter {
  /** undefined: of every organization. */
  readonly orgId: string | undefined
  readonly id?: string | undefined
  readonly name?: string | undefined
  /** Which of the buckets that users made: all, or those with these ids. */
  readonly userBuckets: 'all' | readonly string[]
  readonly systemBuckets: boolean
}

export const retentionSecondsDefault = 2_592_000
/** The longest that fits a signed 64-bit count of nanoseconds. */
export const retentionSecondsMax = 9_223_372_036

export class Buckets {
  readonly #context: CatalogContext

  constructor(context: CatalogContext) {
    this.#context = context
  }

  async create(input: BucketInput): Promise<Bucket> {
    checkName(input.name)
    return this.#insert(input, 'user')
  }

  /** Names of system buckets start with an underscore, which users may not choose. */
  async createSystem(
    orgId: string,
    name: string,
    retentionSeconds: number,
    description: string,
  ): Promise<Bucket> {
    return this.#insert({ orgId, name, retentionSeconds, description }, 'system')
  }

  async #insert(input: BucketInput, type: Bucket['type']): Promise<Bucket> {
    const retentionSeconds = input.retentionSeconds ?? retentionSecondsDefault
    checkRetention(retentionSeconds)
    await requireOrganization(this.#context, input.orgId)
    if ((await this.findByName(input.orgId, input.name)) !== undefined) throw nameTaken(input.name)
    const now = timestamp(this.#context)
    const row: BucketRow = {
      id: newId(this.#context.random),
      org_id: input.orgId,
      name: input.name,
      description: input.description ?? '',
      type,
      schema_type: input.schemaType ?? 'implicit',
      retention_seconds: retentionSeconds,
      created_at: now,
      updated_at: now,
    }
    await this.#naming(input.name, this.#context.db.insertInto('buckets').values(row).execute())
    const bucket = bucketOf(row)
    this.#context.tell('bucket-saved', bucket)
    return bucket
  }

  /** In a transaction: names are looked up before they are taken. */
  async update(id: string, change: BucketChange): Promise<Bucket> {
    const before = await this.require(id)
    const { name = before.name, description = before.description } = change
    const retentionSeconds = change.retentionSeconds ?? before.retentionSeconds
    checkRetention(retentionSeconds)
    if (name !== before.name) await this.#checkRename(before, name)
    const saved = this.#context.db
      .updateTable('buckets')
      .set({
        name,
        description,
        retention_seconds: retentionSeconds,
        updated_at: timestamp(this.#context),
      })
      .where('id', '=', id)
      .execute()
    await this.#naming(name, saved)
    const bucket = await this.require(id)
    this.#context.tell('bucket-saved', bucket)
    return bucket
  }

  async #checkRename(before: Bucket, name: string): Promise<void> {
    if (before.type === 'system') {
      throw new UserError('invalid', 'system buckets cannot be renamed')
    }
    checkName(name)
    if ((await this.findByName(before.orgId, name)) !== undefined) throw nameTaken(name)
  }

  /** Where two at once take one name, the table's own constraint decides who was first. */
  async #naming(name: string, saving: Promise<unknown>): Promise<void> {
    try {
      await saving
    } catch (error) {
      throwTaken(error, () => nameTaken(name))
    }
  }

  /**
   * In a transaction. The bucket, its mappings, labels, members and schemas are gone with it and its
   * name is free; its points wait in `bucket_drops` until the store has dropped them, so that a
   * crash in between loses nothing but time. False where there was none.
   */
  async delete(id: string): Promise<boolean> {
    if ((await this.findById(id)) === undefined) return false
    const { db, tell } = this.#context
    await new Dbrps(this.#context).deleteOfBucket(id)
    await db.deleteFrom('label_mappings').where('resource_id', '=', id).execute()
    await db.deleteFrom('memberships').where('resource_id', '=', id).execute()
    await db.deleteFrom('records').where('parent_id', '=', id).execute()
    await db.deleteFrom('buckets').where('id', '=', id).execute()
    await db.insertInto('bucket_drops').values({ bucket_id: id }).execute()
    tell('bucket-deleted', id)
    return true
  }

  /** Deleted buckets whose points may still be in the store. */
  async awaitingDrop(): Promise<string[]> {
    const rows = await this.#context.db.selectFrom('bucket_drops').selectAll().execute()
    return rows.map((row) => row.bucket_id)
  }

  async dropped(id: string): Promise<void> {
    await this.#context.db.deleteFrom('bucket_drops').where('bucket_id', '=', id).execute()
  }

  async findById(id: string): Promise<Bucket | undefined> {
    const row = await this.#row(id)
    return row === undefined ? undefined : bucketOf(row)
  }

  /** The bucket, or the error that the interface promises. */
  async require(id: string): Promise<Bucket> {
    const found = await this.findById(id)
    if (found === undefined) throw new UserError('not found', 'bucket not found')
    return found
  }

  #row(id: string): Promise<BucketRow | undefined> {
    return this.#context.db
      .selectFrom('buckets')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst()
  }

  async findByName(orgId: string, name: string): Promise<Bucket | undefined> {
    const query = this.#context.db.selectFrom('buckets').selectAll()
    const row = await query.where('org_id', '=', orgId).where('name', '=', name).executeTakeFirst()
    return row === undefined ? undefined : bucketOf(row)
  }

  /** As the `bucket` parameter is read: first as an id, then as a name. */
  async find(orgId: string, idOrName: string): Promise<Bucket | undefined> {
    const byId = isId(idOrName) ? await this.findById(idOrName) : undefined
    if (byId !== undefined && byId.orgId === orgId) return byId
    return this.findByName(orgId, idOrName)
  }

  async list(filter: BucketFilter, page: Page): Promise<Bucket[]> {
    const { orgId, id, name, userBuckets, systemBuckets } = filter
    let query = this.#context.db.selectFrom('buckets').selectAll()
    if (orgId !== undefined) query = query.where('org_id', '=', orgId)
    if (id !== undefined) query = query.where('id', '=', id)
    if (name !== undefined) query = query.where('name', '=', name)
    if (!systemBuckets) query = query.where('type', '!=', 'system')
    if (userBuckets !== 'all') {
      query = query.where(({ eb, or }) =>
        or([
          eb('type', '=', 'system'),
          ...(userBuckets.length === 0 ? [] : [eb('id', 'in', [...userBuckets])]),
        ]),
      )
    }
    const after = page.after === undefined ? undefined : await this.#row(page.after)
    return (await cutPage(query, page, after).execute()).map(bucketOf)
  }

  /** Those that count against a quota: system buckets do not. */
  async count(orgId: string): Promise<number> {
    const { count } = await this.#context.db
      .selectFrom('buckets')
      .where('org_id', '=', orgId)
      .where('type', '!=', 'system')
      .select(({ fn }) => fn.countAll().as('count'))
      .executeTakeFirstOrThrow()
    return Number(count)
  }

  /** Of every organization, for a store that opens and for commands on a folder. */
  async all(): Promise<Bucket[]> {
    const rows = await this.#context.db.selectFrom('buckets').selectAll().orderBy('id').execute()
    return rows.map(bucketOf)
  }
}

/** What is wrong with a name that a user chose; undefined where nothing is. */
export function bucketNameProblem(name: string): string | undefined {
  if (name === '') return 'name is empty'
  if (name.startsWith('_')) {
    return `bucket name ${name} is invalid. Buckets may not start with underscore`
  }
  if (name.includes('"')) {
    return `bucket name ${name} is invalid. Bucket names may not include quotation marks`
  }
  return undefined
}

function checkName(name: string): void {
  const problem = bucketNameProblem(name)
  if (problem !== undefined) throw new UserError('invalid', problem)
}

function nameTaken(name: string): UserError {
  return new UserError('conflict', `bucket with name ${name} already exists`)
}

function checkRetention(seconds: number): void {
  if (seconds < 0) {
    throw new UserError('unprocessable entity', 'expiration seconds cannot be negative')
  }
  if (!Number.isSafeInteger(seconds) || seconds > retentionSecondsMax) {
    const range = `a whole number up to ${retentionSecondsMax}`
    throw new UserError('unprocessable entity', `expiration seconds must be ${range}`)
  }
}

function bucketOf(row: BucketRow): Bucket {
  return {
    id: row.id,
    orgId: row.org_id,
    name: row.name,
    description: row.description,
    type: row.type === 'system' ? 'system' : 'user',
    schemaType: row.schema_type === 'explicit' ? 'explicit' : 'implicit',
    retentionSeconds: Number(row.retention_seconds),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}
