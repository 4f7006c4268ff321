// What tokens and legacy tokens share: whose they are, what they permit, whether they are active, and
// how they are made, found, changed and deleted. Each adds what it is known by, a hash or a name.

import { UserError } from '../../errors.js'
import { type CatalogContext, requireOrganization, timestamp } from '../base/context.js'
import { newId } from '../base/ids.js'
import type { LegacyTokenRow, TokenRow } from '../base/tables.js'

/** As the permission check reads them; the catalog only keeps them. */
export interface TokenPermission<ResourceType extends string = string> {
  readonly action: 'read' | 'write'
  readonly resource: {
    readonly type: ResourceType
    readonly id?: string | undefined
    readonly orgID?: string | undefined
  }
}

export interface Token {
  readonly id: string
  readonly orgId: string | undefined
  /** Whom it is scoped to. */
  readonly userId: string | undefined
  /** Who made it. The deletion of either user stops it. */
  readonly creatorId: string | undefined
  readonly description: string
  readonly status: 'active' | 'inactive'
  readonly permissions: readonly TokenPermission[]
  readonly createdAt: string
  readonly updatedAt: string
}

/** Without what it is known by. */
export interface SharedTokenInput {
  readonly orgId: string | undefined
  readonly userId: string | undefined
  readonly creatorId?: string | undefined
  readonly description: string
  readonly status?: Token['status'] | undefined
  readonly permissions: readonly TokenPermission[]
}

export interface TokenFilter {
  readonly id?: string | undefined
  readonly orgId?: string | undefined
  readonly userId?: string | undefined
}

export interface TokenChange {
  readonly status?: Token['status'] | undefined
  readonly description?: string | undefined
}

type SharedRow = Omit<TokenRow, 'token_hash'>

/** The columns that only one of the tables has. */
type OwnColumns<Row> = Omit<Row, keyof SharedRow>

export abstract class TokenTable<Row extends TokenRow | LegacyTokenRow, Known extends Token> {
  protected readonly context: CatalogContext
  /** Kysely wants one literal name. What is asked of it here, both tables have. */
  readonly #table: 'tokens'
  readonly #knownBy: keyof OwnColumns<Row> & string

  constructor(
    context: CatalogContext,
    table: 'tokens' | 'legacy_tokens',
    knownBy: keyof OwnColumns<Row> & string,
  ) {
    this.context = context
    this.#table = table as 'tokens'
    this.#knownBy = knownBy
  }

  protected abstract ofRow(row: Row): Known

  async findById(id: string): Promise<Known | undefined> {
    const row = await this.#findRow('id', id)
    return row === undefined ? undefined : this.ofRow(row)
  }

  async update(id: string, change: TokenChange): Promise<Known> {
    const before = await this.findById(id)
    if (before === undefined) throw new UserError('not found', 'authorization not found')
    const status = change.status ?? before.status
    const description = change.description ?? before.description
    const updatedAt = await this.set(id, { status, description })
    return { ...before, status, description, updatedAt }
  }

  async delete(id: string): Promise<void> {
    await this.context.db.deleteFrom(this.#table).where('id', '=', id).execute()
  }

  protected async make(input: SharedTokenInput, own: OwnColumns<Row>): Promise<Known> {
    const { orgId } = input
    if (input.permissions.length === 0) {
      throw new UserError('invalid', 'authorization must include permissions')
    }
    if ((await this.findKnown(own[this.#knownBy] as string)) !== undefined) {
      throw new UserError('conflict', 'token already exists')
    }
    if (orgId !== undefined) await requireOrganization(this.context, orgId)
    const now = timestamp(this.context)
    const shared: SharedRow = {
      id: newId(this.context.random),
      org_id: orgId ?? null,
      user_id: input.userId ?? null,
      creator_id: input.creatorId ?? null,
      description: input.description,
      status: input.status ?? 'active',
      permissions: JSON.stringify(input.permissions),
      created_at: now,
      updated_at: now,
    }
    const row = { ...shared, ...own } as unknown as Row
    await this.context.db
      .insertInto(this.#table)
      .values(row as TokenRow)
      .execute()
    return this.ofRow(row)
  }

  protected async listKnown(filter: TokenFilter, known: string | undefined): Promise<Known[]> {
    let query = this.context.db.selectFrom(this.#table).selectAll()
    if (filter.id !== undefined) query = query.where('id', '=', filter.id)
    if (filter.orgId !== undefined) query = query.where('org_id', '=', filter.orgId)
    if (filter.userId !== undefined) query = query.where('user_id', '=', filter.userId)
    if (known !== undefined) query = query.where(this.#knownBy as 'token_hash', '=', known)
    const rows = await query.orderBy('created_at').orderBy('id').execute()
    return rows.map((row) => this.ofRow(row as Row))
  }

  protected findKnown(known: string): Promise<Row | undefined> {
    return this.#findRow(this.#knownBy, known)
  }

  /** Answers with the time of the change. */
  protected async set(
    id: string,
    values: Partial<SharedRow> | Partial<OwnColumns<Row>>,
  ): Promise<string> {
    const updated_at = timestamp(this.context)
    const update = this.context.db.updateTable(this.#table).set({ ...values, updated_at })
    await update.where('id', '=', id).execute()
    return updated_at
  }

  async #findRow(column: string, value: string): Promise<Row | undefined> {
    const query = this.context.db.selectFrom(this.#table).selectAll()
    return (await query.where(column as 'id', '=', value).executeTakeFirst()) as Row | undefined
  }
}

export function tokenOf(row: SharedRow): Token {
  return {
    id: row.id,
    orgId: row.org_id ?? undefined,
    userId: row.user_id ?? undefined,
    creatorId: row.creator_id ?? undefined,
    description: row.description,
    status: row.status === 'inactive' ? 'inactive' : 'active',
    permissions: JSON.parse(row.permissions),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}
