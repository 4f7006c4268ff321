// Where a migration writes to: a server of v1 that is asked for everything but the points, and a way
// for these, which is shorter where the server runs in this process.

import type { FieldType } from '../../column/column.js'
import type { WriteBatch, WriteTable } from '../../column/write-batch.js'
import { UserError } from '../../errors.js'
import { printWriteBatch } from '../../line-protocol/printer.js'
import { ServerRefusal, type V1Client } from '../connection/v1-client.js'
import { bucketName } from '../plan/bucket-name.js'
import type { SourceDatabase, SourceDelete, SourcePolicy, SourceUser } from '../plan/source.js'
import { quoted } from '../statistics/query-statistics.js'
import type { KeepToken, ResourceTarget } from './resources.js'

export interface WriteRefusals {
  readonly count: number
  /** Some of the reasons. */
  readonly reasons: readonly string[]
}

/** Throws BusyError where it should be tried again. */
export type WritePoints = (
  database: string,
  policy: string,
  batch: WriteBatch,
) => Promise<WriteRefusals>

/** Throws BusyError where it should be tried again. */
export type RemovePoints = (database: string, policy: string, what: SourceDelete) => Promise<void>

/** Characters of line protocol in one request; servers take 25 MB. */
const requestCharactersMax = 8 << 20

export interface TargetOptions {
  readonly write?: WritePoints
  readonly remove?: RemovePoints
  /** Which organization; absent: the only one. */
  readonly org?: string | undefined
  readonly keepToken?: KeepToken
}

export class MigrationTarget {
  readonly client: V1Client
  readonly write: WritePoints
  readonly #options: TargetOptions

  constructor(client: V1Client, options: TargetOptions = {}) {
    this.client = client
    this.write = options.write ?? linesWriter(client)
    this.#options = options
  }

  /** What the source no longer has. Absent: nobody who can tell writes into this kind of target. */
  get remove(): RemovePoints | undefined {
    return this.#options.remove
  }

  /**
   * What resources are made in; undefined where the target has only databases. Throws UserError where it cannot be told
   * which organization is meant.
   */
  async resources(): Promise<ResourceTarget | undefined> {
    const { org, keepToken } = this.#options
    const query = org === undefined ? '' : `?${new URLSearchParams({ org })}`
    const orgs = await this.#organizations(query)
    if (orgs === undefined) return undefined
    if (orgs.length === 1) {
      const [{ id: orgId }] = orgs
      return { client: this.client, orgId, keepToken: keepToken ?? tokenSender(this.client, orgId) }
    }
    throw new UserError('invalid', 'the target has several organizations: name one with --org')
  }

  async #organizations(query: string): Promise<readonly { readonly id: string }[] | undefined> {
    try {
      const answer = await this.client.text(`api/v2/orgs${query}`, { method: 'GET' })
      return JSON.parse(answer).orgs
    } catch (error) {
      if (error instanceof ServerRefusal && error.answerStatus === 404) return undefined
      throw error
    }
  }

  async databases(): Promise<Set<string>> {
    const [result] = await this.client.query('SHOW DATABASES')
    return new Set(rowsOf(result).map((row) => String(row[0])))
  }

  async policies(database: string): Promise<Set<string>> {
    const [result] = await this.client.query(`SHOW RETENTION POLICIES ON ${quoted(database)}`)
    return new Set(rowsOf(result).map((row) => String(row[0])))
  }

  /** What is there already stays as it is. */
  async makeDatabase(name: string, { policies }: SourceDatabase): Promise<void> {
    const known = (await this.databases()).has(name) ? await this.policies(name) : undefined
    const hasBuckets = policies.some(({ bucket }) => bucket !== undefined)
    const resources = hasBuckets ? await this.resources() : undefined
    if (resources !== undefined) {
      return this.#makeBuckets(resources.orgId, name, policies, known ?? new Set())
    }
    const first = policies.find((policy) => policy.isDefault) ?? policies[0]
    if (known === undefined) {
      const terms = first === undefined ? '' : ` WITH ${termsOf(first)} NAME ${quoted(first.name)}`
      await this.client.query(`CREATE DATABASE ${quoted(name)}${terms}`)
    }
    for (const policy of policies) {
      if (known === undefined ? policy === first : known.has(policy.name)) continue
      const what = `CREATE RETENTION POLICY ${quoted(policy.name)} ON ${quoted(name)}`
      await this.client.query(`${what} ${termsOf(policy)}`)
    }
  }

  /** As they are called in the source; the name of a database that was renamed is a part of theirs. */
  async #makeBuckets(
    orgID: string,
    database: string,
    policies: readonly SourcePolicy[],
    known: ReadonlySet<string>,
  ): Promise<void> {
    const post = async (path: string, body: object) =>
      JSON.parse(await this.client.text(path, { method: 'POST', body: JSON.stringify(body) }))
    for (const one of policies) {
      const { name: policy, isDefault, durationNs, bucket } = one
      if (known.has(policy) || bucket === undefined) continue
      const everySeconds = Number(durationNs / 1_000_000_000n)
      const retentionRules = everySeconds === 0 ? [] : [{ type: 'expire', everySeconds }]
      const name = bucketName(one, database)
      const made = await post('api/v2/buckets', { orgID, name, retentionRules })
      if (!bucket.isMapped) continue
      const mapping = { database, retention_policy: policy, default: isDefault }
      await post('api/v2/dbrps', { orgID, bucketID: made.id, ...mapping })
    }
  }

  /** Types that fields have there. */
  async fieldTypes(
    database: string,
    policy: string,
  ): Promise<Map<string, ReadonlyMap<string, FieldType>>> {
    const types = new Map<string, Map<string, FieldType>>()
    const text = `SHOW FIELD KEYS ON ${quoted(database)} FROM ${quoted(policy)}./.*/`
    const [result] = await this.client.query(text, database)
    for (const { name, values = [] } of result?.series ?? []) {
      const fields = values.map(([field, type]) => [String(field), type as FieldType] as const)
      types.set(name, new Map(fields))
    }
    return types
  }

  /** The statement as it is; false where there is one of that name. */
  makeContinuousQuery(database: string, text: string): Promise<boolean> {
    return this.#unlessKnown(() => this.client.query(text, database))
  }

  /** With a password that nobody knows; false where there is such a user. */
  async makeUser({ name, isAdmin, grants }: SourceUser, password: string): Promise<boolean> {
    const privileges = isAdmin ? ' WITH ALL PRIVILEGES' : ''
    const text = `CREATE USER ${quoted(name)} WITH PASSWORD '${password}'${privileges}`
    const isNew = await this.#unlessKnown(() => this.client.query(text))
    for (const { database, privilege } of isNew ? grants : []) {
      await this.client.query(`GRANT ${privilege} ON ${quoted(database)} TO ${quoted(name)}`)
    }
    return isNew
  }

  async #unlessKnown(make: () => Promise<unknown>): Promise<boolean> {
    try {
      await make()
      return true
    } catch (error) {
      if (error instanceof UserError && /already exists/.test(error.message)) return false
      throw error
    }
  }
}

function rowsOf(
  result: Awaited<ReturnType<V1Client['query']>>[number] | undefined,
): readonly (readonly unknown[])[] {
  return result?.series?.[0]?.values ?? []
}

function termsOf({ durationNs, shardDurationNs }: SourcePolicy): string {
  const duration = durationNs === 0n ? 'INF' : `${durationNs / 1_000_000_000n}s`
  const shard = shardDurationNs === 0n ? '' : ` SHARD DURATION ${shardDurationNs / 1_000_000_000n}s`
  return `DURATION ${duration} REPLICATION 1${shard}`
}

/** Over HTTP: as text, in requests that a server takes. */
/** Operators may say what a token is known by; others are refused, which is told. */
function tokenSender(client: V1Client, orgID: string): KeepToken {
  return async ({ hash, description, permissions, isActive }) => {
    const status = isActive ? 'active' : 'inactive'
    const body = JSON.stringify({ orgID, description, permissions, status, tokenHash: hash })
    try {
      await client.text('api/v2/authorizations', { method: 'POST', body })
    } catch (error) {
      // An earlier start has made it.
      if (!(error instanceof Error && error.message.includes('already exists'))) throw error
    }
  }
}

function linesWriter(client: V1Client): WritePoints {
  const write: WritePoints = async (database, policy, batch) => {
    const lines = printWriteBatch(batch)
    if (lines.length > requestCharactersMax && batch.pointCount > 1) {
      const [a, b] = halves(batch)
      const first = await write(database, policy, a)
      const second = await write(database, policy, b)
      return { count: first.count + second.count, reasons: [...first.reasons, ...second.reasons] }
    }
    try {
      await client.write(database, policy, Buffer.from(lines))
      return { count: 0, reasons: [] }
    } catch (error) {
      const dropped = error instanceof UserError ? /dropped=(\d+)/.exec(error.message) : null
      if (dropped === null) throw error
      return { count: Number(dropped[1]), reasons: [(error as Error).message] }
    }
  }
  return write
}

function halves({ tables, pointCount }: WriteBatch): [WriteBatch, WriteBatch] {
  const first: WriteTable[] = []
  const second: WriteTable[] = []
  let room = pointCount >>> 1
  for (const table of tables) {
    const rows = Math.min(room, table.rowCount)
    if (rows > 0) first.push(sliceTable(table, 0, rows))
    if (rows < table.rowCount) second.push(sliceTable(table, rows, table.rowCount))
    room -= rows
  }
  const half = pointCount >>> 1
  return [
    { tables: first, pointCount: half },
    { tables: second, pointCount: pointCount - half },
  ]
}

function sliceTable(table: WriteTable, start: number, stop: number): WriteTable {
  const fields = table.fields.map(({ name, column }) => {
    const values = column.values.subarray(start, stop)
    const validity = column.validity?.subarray(start, stop)
    return { name, column: { ...column, values, validity } as typeof column }
  })
  const { measurement, keys, times } = table
  return {
    measurement,
    rowCount: stop - start,
    series: table.series.subarray(start, stop),
    keys,
    times: { base: times.base, offsets: times.offsets.subarray(start, stop) },
    fields,
    lines: table.lines.subarray(start, stop),
  }
}
