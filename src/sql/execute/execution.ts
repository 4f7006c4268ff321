// One run of a query: its conditions told to the store, the rows of its tables fed to DuckDB, and the changed
// query run over them. Whatever goes wrong in DuckDB is told in our words.

import { type Column, valueAt } from '../../column/column.js'
import { OverloadError, UserError } from '../../errors.js'
import { enterHeavy } from '../../platform/run-turns.js'
import type { ResultBatch } from '../../query/language.js'
import { QueryMeter } from '../../query/limits.js'
import type { BucketId } from '../../store/store.js'
import type { EnginePool } from '../engine/engine-pool.js'
import { Session } from '../engine/session.js'
import type { Evaluate } from '../plan/conditions.js'
import { fillGaps } from '../plan/gapfill.js'
import { createSmallTable, informationTable } from '../plan/information.js'
import { momentOf } from '../plan/moments.js'
import { columnRoles } from '../plan/roles.js'
import type { SqlScope } from '../plan/scope.js'
import { estimateRow, statementRows, type TableRead, TableReader } from '../plan/table-reads.js'
import { readCaches } from '../plan/value-caches.js'
import { failureOf } from '../statement/failure.js'
import { type ParsedQuery, parsedQuery, type SqlQuery } from '../statement/query.js'
import { isReadOnce, type TableUse } from '../statement/table-uses.js'
import { type FunctionContext, translateFunctions } from '../statement/translate-functions.js'
import { call, cast, select, type TreeNode } from '../statement/tree.js'
import { createTable, createView, type LoadContext, tableFeed } from './table-load.js'
import { textTable } from './text-table.js'

export function execute(
  pool: EnginePool,
  query: SqlQuery,
  scope: SqlScope,
  signal: AbortSignal,
): AsyncGenerator<ResultBatch, void, void> {
  return inSession(pool, query, scope, signal, (execution) => execution.run())
}

/** The columns of its answer, as one batch without rows. No points are read. */
export function describeColumns(
  pool: EnginePool,
  query: SqlQuery,
  scope: SqlScope,
  signal: AbortSignal,
): AsyncGenerator<ResultBatch, void, void> {
  return inSession(pool, query, scope, signal, (execution) => execution.describe())
}

async function* inSession(
  pool: EnginePool,
  query: SqlQuery,
  scope: SqlScope,
  signal: AbortSignal,
  work: (execution: Execution) => AsyncIterable<ResultBatch>,
): AsyncGenerator<ResultBatch, void, void> {
  signal.throwIfAborted()
  const bucket = await scope.bucket(scope.database)
  await enterHeavy(signal)
  const { memoryBytesMax } = scope.limits
  const release = await scope.figures?.reserve?.(memoryBytesMax, signal)
  const session = await Session.open(pool, memoryBytesMax, signal).catch((error) => {
    release?.()
    throw error
  })
  const execution = new Execution(query, scope, session, bucket, signal)
  let isFinished = false
  try {
    yield* work(execution)
    signal.throwIfAborted()
    isFinished = true
  } catch (error) {
    isFinished = !signal.aborted
    // Whatever fails in an aborted query, the abort is the reason.
    if (signal.aborted) throw signal.reason
    if (error instanceof OverloadError) throw error
    throw error instanceof UserError ? error : failureOf(error as Error, execution.columnsKnown)
  } finally {
    const closed = session.close().finally(() => release?.())
    // A statement that was aborted is not waited for.
    if (isFinished) await closed
  }
}

class Execution {
  readonly #query: SqlQuery
  readonly #scope: SqlScope
  readonly #session: Session
  readonly #bucket: BucketId
  readonly #signal: AbortSignal
  readonly #meter: QueryMeter
  readonly #load: LoadContext
  readonly #functions: FunctionContext
  readonly #changes = new Map<TreeNode, TreeNode>()
  readonly #tables: TableRead[] = []

  constructor(
    query: SqlQuery,
    scope: SqlScope,
    session: Session,
    bucket: BucketId,
    signal: AbortSignal,
  ) {
    this.#query = query
    this.#scope = scope
    this.#session = session
    this.#bucket = bucket
    this.#signal = signal
    const meter = new QueryMeter(scope.limits, scope.figures)
    this.#meter = meter
    const listsTags = scope.listsTags !== false
    this.#load = { session, store: scope.store, meter, signal, listsTags }
    this.#functions = { now: scope.clock.now(), text: query.textBytes, changes: this.#changes }
  }

  /** Of the tables that the statement names, for messages. */
  get columnsKnown(): string[] {
    return this.#tables.flatMap(({ schema }) =>
      schema.columns.map(({ name }) => `${schema.name}.${name}`),
    )
  }

  async *run(): AsyncGenerator<ResultBatch, void, void> {
    const { tree, sql, roles } = await this.#prepare()
    if (this.#query.explains === 'plan') {
      await this.#createViews()
      yield await this.#explain(this.#session.row(`EXPLAIN ${sql}`))
    } else if (this.#query.explains === 'analysis') {
      await this.#createTables()
      yield await this.#explain(this.#session.row(`EXPLAIN ANALYZE ${sql}`))
    } else {
      for await (const batch of this.#answer(tree, sql)) yield { ...batch, ...roles }
    }
  }

  async *describe(): AsyncGenerator<ResultBatch, void, void> {
    const { sql, roles } = await this.#prepare()
    if (this.#query.explains !== 'no') yield textTable(explainColumns, [])
    else {
      await this.#createViews()
      yield { ...(await this.#session.describe(sql)), ...roles }
    }
  }

  async #prepare() {
    const { tree, uses, names } = await this.#parse()
    for (const [i, use] of uses.entries()) await this.#prepareTable(`mr_t${i}`, use, names)
    const roles = columnRoles(tree, this.#tables)
    const sql = await this.#session.print(translateFunctions(tree, this.#functions))
    return { tree, sql, roles }
  }

  async #parse(): Promise<ParsedQuery> {
    const session = this.#session
    const parsed = await this.#query.parsed(session)
    const { hasGaps, hasCaches } = this.#query
    if (!hasGaps && !hasCaches) return parsed
    const tree = structuredClone(parsed.tree)
    if (hasCaches) {
      await readCaches(tree, { session, scope: this.#scope, bucket: this.#bucket })
    }
    if (!hasGaps) return parsedQuery(tree)
    const context = { session, evaluate: this.#evaluate, meter: this.#meter }
    return parsedQuery(await fillGaps(tree, context))
  }

  async #prepareTable(table: string, use: TableUse, names: ReadonlySet<string>): Promise<void> {
    const { store } = this.#scope
    if (use.schema === 'information_schema') {
      const small = await informationTable(use.name, store, this.#bucket)
      await this.#session.run(createSmallTable(table, small))
    } else {
      const reader = new TableReader(this.#scope, this.#bucket, this.#evaluate)
      const read = await reader.prepare(table, use, names)
      this.#tables.push(read)
      if (read.query !== undefined) this.#changes.set(use.query!, read.query)
    }
    // Columns may still be called by the name that the statement gave.
    const named = { alias: use.alias, table_name: table, schema_name: '', catalog_name: '' }
    this.#changes.set(use.node, { ...use.node, ...named })
  }

  async *#answer(tree: TreeNode, sql: string): AsyncGenerator<ResultBatch, void, void> {
    const [first] = this.#tables
    const streams = this.#scope.streamsTables !== false
    if (streams && first !== undefined && isReadOnce(tree, first.use.node)) {
      await this.#createViews()
      yield* this.#session.query(sql, tableFeed(this.#load, first))
    } else {
      await this.#createTables()
      yield* this.#session.query(sql)
    }
  }

  async #createViews(): Promise<void> {
    for (const table of this.#tables) await createView(this.#load, table)
  }

  async #createTables(): Promise<void> {
    for (const table of this.#tables) await createTable(this.#load, table)
  }

  readonly #evaluate: Evaluate = async (values) => {
    // Times as texts, as nearly all statements have them, need no engine.
    const known = values.map((value) => momentOf(value, this.#functions.now))
    if (known.every(isStorable)) return known
    const moments = select(...values.map(nanosecondsOf))
    const sql = await this.#session.print(translateFunctions(moments, this.#functions))
    try {
      const { columns } = await this.#session.row(sql)
      const row = columns.map((column) => valueAt(column as Column, 0))
      return row.some((value) => value === null) ? undefined : row.map((value) => BigInt(value!))
    } catch (error) {
      // What cannot be computed ahead fails, or not, when the statement runs.
      if (this.#signal.aborted) throw error
      return undefined
    }
  }

  async #explain(answer: Promise<ResultBatch>): Promise<ResultBatch> {
    const { columns } = await answer
    const reads = this.#tables.map(({ description }) => description).join('\n')
    const requests = this.#tables.map(({ request }) => request)
    const estimate = await estimateRow(this.#scope, requests, 'an engine of SQL', this.#signal)
    const statements = await statementRows(this.#scope, requests, this.#signal)
    const physical = valueAt(columns[1] as Column, 0)
    const title = this.#query.explains === 'analysis' ? 'Plan with Metrics' : 'physical_plan'
    return textTable(explainColumns, [
      ...(reads === '' ? [] : [['store_reads', reads]]),
      estimate,
      ...statements,
      [title, String(physical)],
    ])
  }
}

export const explainColumns = ['plan_type', 'plan']

/** What lies beyond is for DuckDB to refuse. */
function isStorable(moment: bigint | undefined): moment is bigint {
  return moment !== undefined && BigInt.asIntN(64, moment) === moment
}

function nanosecondsOf(value: TreeNode): TreeNode {
  return call('epoch_ns', cast({ ...value, alias: '' }, 'TIMESTAMP_NS'))
}
