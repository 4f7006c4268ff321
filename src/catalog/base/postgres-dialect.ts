// The catalog in PostgreSQL, for any number of processes: serializable transactions that are repeated, texts that are
// compared byte by byte as SQLite does it, and a notification with every change that is committed.

import {
  type CompiledQuery,
  type DataTypeNode,
  HandleEmptyInListsPlugin,
  Kysely,
  type KyselyPlugin,
  OperationNodeTransformer,
  PostgresDialect,
  type PostgresPool,
  type QueryId,
  type QueryResult,
  replaceWithNoncontingentExpression,
  sql,
} from 'kysely'
import { UnavailableError, UserError } from '../../errors.js'
import { isUnreachable, Listener, openPool, preparing, sqlState } from '../../platform/postgres.js'
import type { Random } from '../../platform/random.js'
import { type ChangeTracking, type StatementRules, trackedDialect } from './change-tracking.js'
import type { BehindNode, Connection, Hearing, NodeSign, SharedDatabase } from './connection.js'
import { changesChannel } from './postgres-triggers.js'
import type { CatalogTables, NodeQuestionRow } from './tables.js'

export function connectPostgres(url: string): Connection {
  const tracking: ChangeTracking = {}
  const pool = openPool(url, { isSerializable: true })
  const plugins = [
    new HandleEmptyInListsPlugin({ strategy: replaceWithNoncontingentExpression }),
    new BytewiseTexts(),
  ]
  const open = (from: PostgresPool, tracked: ChangeTracking) => {
    const inner = new PostgresDialect({ pool: from })
    const dialect = trackedDialect(inner, tracked, statementRules)
    return new Kysely<CatalogTables>({ dialect, plugins })
  }
  const few = openPool(url, { isSerializable: false, connectionsMax: sharedConnectionsMax })
  const shared = new PostgresShared(url, open(preparing(few), {}))
  return { db: open(pool, tracking), tracking, isRepeatable, shared }
}

/** What nodes say to each other, and what a read of the store asks, is little, and single statements. */
const sharedConnectionsMax = 5

/** A name that was taken at once is found by the check before the insert when all is done again. */
function isRepeatable(error: unknown): boolean {
  const state = sqlState(error instanceof UserError ? error.cause : error)
  return state === '40001' || state === '40P01' || state === '23505'
}

/** Beyond it, something else is wrong than two changes at the same time. */
const repeatsMax = 10

const statementRules: StatementRules = {
  async run<Row>(
    query: CompiledQuery,
    isInTransaction: boolean,
    execute: () => Promise<QueryResult<Row>>,
  ): Promise<QueryResult<Row>> {
    if (query.parameters.some(hasNul)) return withoutNul<Row>(query)
    for (let repeats = 0; ; repeats++) {
      try {
        return await execute()
      } catch (error) {
        const state = sqlState(error)
        const isConflict = state === '40001' || state === '40P01'
        if (isInTransaction || !isConflict || repeats === repeatsMax) throw explain(error)
      }
    }
  },
  explain,
}

function hasNul(parameter: unknown): boolean {
  return typeof parameter === 'string' && parameter.includes('\0')
}

/** PostgreSQL has no texts with NUL: none can be found, and none can be kept. */
function withoutNul<Row>({ query }: CompiledQuery): QueryResult<Row> {
  if (query.kind === 'SelectQueryNode') return { rows: [] }
  throw new UserError('invalid', 'names and texts must not contain the character NUL')
}

function explain(error: unknown): unknown {
  return isUnreachable(error) ? new UnavailableError('the catalog cannot be reached') : error
}

/** Columns of texts sort and compare by their bytes, whatever language the database was made for. */
class BytewiseTexts extends OperationNodeTransformer implements KyselyPlugin {
  transformQuery: KyselyPlugin['transformQuery'] = ({ node, queryId }) =>
    this.transformNode(node, queryId)

  transformResult: KyselyPlugin['transformResult'] = async ({ result }) => result

  protected override transformDataType(node: DataTypeNode, queryId?: QueryId): DataTypeNode {
    const { dataType, ...rest } = super.transformDataType(node, queryId)
    const isText = dataType === 'text' || dataType.startsWith('varchar')
    // Kysely prints what stands here as it is.
    const bytewise = `${dataType} COLLATE "C"` as typeof dataType
    return { ...rest, dataType: isText ? bytewise : dataType }
  }
}

/** The payload is the id of a question. */
const questionsChannel = 'millrace_questions'
/** The payload is the number of a change, and the id of the node that has seen it. */
const seenChannel = 'millrace_seen'

class PostgresShared implements SharedDatabase {
  readonly #url: string
  readonly untracked: Kysely<CatalogTables>
  #listener: Listener | undefined

  constructor(url: string, untracked: Kysely<CatalogTables>) {
    this.#url = url
    this.untracked = untracked
  }

  async listen(nodeId: string, random: Random, hearing: Hearing): Promise<void> {
    this.#listener = new Listener({
      url: this.#url,
      channels: [changesChannel, questionsChannel, seenChannel],
      name: connectionName(nodeId),
      onNotice: (channel, payload) => {
        if (channel === questionsChannel) hearing.asked(payload)
        else if (channel === changesChannel) hearing.changed()
        else {
          const [change, ...id] = payload.split(' ')
          hearing.seen(id.join(' '), Number(change))
        }
      },
      onConnected: () => hearing.changed(),
      random,
    })
    await this.#listener.open().catch((error: unknown) => {
      throw explain(error)
    })
  }

  async tellQuestion({ id, kind, body, asked_at }: NodeQuestionRow): Promise<void> {
    await sql`WITH kept AS (INSERT INTO node_questions (id, kind, body, asked_at)
      VALUES (${id}, ${kind}, ${body}, ${asked_at}) RETURNING id)
      SELECT pg_notify(${questionsChannel}, id) FROM kept`.execute(this.untracked)
  }

  async tellSeen({ id, url, seenChange, leaseUntil }: NodeSign): Promise<boolean> {
    const { rows } = await sql`WITH kept AS (UPDATE nodes SET url = ${url},
      seen_change = ${seenChange}, lease_until = ${leaseUntil} WHERE id = ${id} RETURNING id)
      SELECT pg_notify(${seenChannel}, ${`${seenChange} ${id}`}) FROM kept`.execute(this.untracked)
    return rows.length > 0
  }

  async behind(change: number, now: string): Promise<readonly BehindNode[]> {
    const { rows } = await sql<BehindNode>`SELECT id, EXISTS (SELECT 1 FROM pg_stat_activity
        WHERE datname = current_database()
        AND application_name = left(${connectionName('')} || nodes.id, ${nameBytes})) AS "isConnected"
      FROM nodes WHERE lease_until > ${now} AND seen_change < ${change}`.execute(this.untracked)
    return rows
  }

  async connected(nodeIds: readonly string[]): Promise<Set<string>> {
    const { rows } = await sql<{ name: string }>`SELECT application_name AS name
      FROM pg_stat_activity WHERE datname = current_database()`.execute(this.untracked)
    const names = new Set(rows.map(({ name }) => name))
    return new Set(nodeIds.filter((id) => names.has(connectionName(id))))
  }

  async close(): Promise<void> {
    await this.#listener?.close()
    await this.untracked.destroy()
  }
}

/** What the server keeps of a name. */
const nameBytes = 63

function connectionName(nodeId: string): string {
  return `millrace node ${nodeId}`
}
