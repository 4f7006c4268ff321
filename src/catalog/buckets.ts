// Buckets: named containers of points with a retention, names unique in their organization. In the
// cluster variant they are called databases.

import { UserError } from '../errors.js'
import { type CatalogContext, timestamp } from './context.js'
import { isId, newId } from './ids.js'
import type { BucketRow } from './tables.js'

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
    if ((await this.findByName(input.orgId, input.name)) !== undefined) {
      throw new UserError('conflict', `bucket with name ${input.name} already exists`)
    }
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
    await this.#context.db.insertInto('buckets').values(row).execute()
    const bucket = bucketOf(row)
    this.#context.changed({ kind: 'bucket-saved', bucket })
    return bucket
  }

  async findById(id: string): Promise<Bucket | undefined> {
    const query = this.#context.db.selectFrom('buckets').selectAll().where('id', '=', id)
    const row = await query.executeTakeFirst()
    return row === undefined ? undefined : bucketOf(row)
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

  /** Of every organization, for a store that opens and for commands on a folder. */
  async all(): Promise<Bucket[]> {
    const rows = await this.#context.db.selectFrom('buckets').selectAll().orderBy('id').execute()
    return rows.map(bucketOf)
  }
}

function checkName(name: string): void {
  if (name === '') throw new UserError('invalid', 'name is empty')
  if (name.startsWith('_')) {
    const reason = 'Buckets may not start with underscore'
    throw new UserError('invalid', `bucket name ${name} is invalid. ${reason}`)
  }
  if (name.includes('"')) {
    const reason = 'Bucket names may not include quotation marks'
    throw new UserError('invalid', `bucket name ${name} is invalid. ${reason}`)
  }
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
