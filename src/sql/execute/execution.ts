// One statement, from its text to its batches: parsed by DuckDB, checked, its tables found and its
// conditions told to the store, the rows fed to DuckDB, and the changed statement run over them. Whatever goes
// wrong in DuckDB is told in our words.

import { type Column, valueAt } from '../../column/column.js'
import { UserError } from '../../errors.js'
import type { ResultBatch } from '../../query/language.js'
import { QueryMeter } from '../../query/limits.js'
import type { BucketId } from '../../store/store.js'
import type { Engines } from '../engine/engines.js'
import { Session } from '../engine/session.js'
import { fillGaps } from '../plan/gapfill.js'
import { createSmallTable, informationTable } from '../plan/information.js'
import { columnRoles } from '../plan/roles.js'
import type { SqlScope } from '../plan/scope.js'
import { type TableRead, TableReader } from '../plan/table-reads.js'
import { failureOf } from '../statement/failure.js'
import { checkFunctions, type FunctionContext, translateFunctions } from '../statement/functions.js'
import {
  checkShape,
  columnNames,
  isReadOnce,
  shortenNames,
  type TableUse,
  tableUses,
} from '../statement/table-uses.js'
import { nameColumns } from '../statement/titles.js'
import { call, cast, type TreeNode } from '../statement/tree.js'
import { keepTable, type LoadContext, nameTable, tableFeed } from './table-load.js'
import { textTable } from './text-table.js'

/** What is asked of DuckDB. */
export interface SqlQuery {
  readonly text: string
  readonly explains: 'no' | 'plan' | 'analysis'
}

export function execute(
  engines: Engines,
  query: SqlQuery,
  scope: SqlScope,
  signal: AbortSignal,
): AsyncGenerator<ResultBatch, void, void> {
  return inSession(engines, query, scope, signal, (execution) => execution.run())
}

/** The columns of its answer, as one batch without rows. No points are read. */
export function describeColumns(
  engines: Engines,
  query: SqlQuery,
  scope: SqlScope,
  signal: AbortSignal,
): AsyncGenerator<ResultBatch, void, void> {
  return inSession(engines, query, scope, signal, (execution) => execution.describe())
}

async function* inSession(
  engines: Engines,
  query: SqlQuery,
  scope: SqlScope,
  signal: AbortSignal,
  work: (execution: Execution) => AsyncIterable<ResultBatch>,
): AsyncGenerator<ResultBatch, void, void> {
  signal.throwIfAborted()
  const bucket = await scope.bucket(scope.database)
  const session = await Session.open(engines, scope.limits.memoryBytesMax, signal)
  const execution = new Execution(query, scope, session, bucket, signal)
  let isFinished = false
  try {
    yield* work(execution)
    signal.throwIfAborted()
    isFinished = true
  } catch (error) {
    isFinished = !signal.aborted
    // Whatever breaks under a query that was stopped, being stopped is the reason.
    if (signal.aborted) throw signal.reason
    throw error instanceof UserError ? error : failureOf(error as Error, execution.columnsKnown)
  } finally {
    const closed = session.close()
    // Nobody waits until a statement has obeyed that was stopped.
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
  #tables: TableRead[] = []

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
    const meter = new QueryMeter(scope.limits)
    this.#meter = meter
    const listsTags = scope.listsTags !== false
    this.#load = { session, store: scope.store, meter, signal, listsTags }
    this.#functions = { now: scope.clock.now(), text: Buffer.from(query.text) }
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
      await this.#name()
      yield await this.#explain(this.#session.row(`EXPLAIN ${sql}`))
    } else if (this.#query.explains === 'analysis') {
      await this.#keep()
      yield await this.#explain(this.#session.row(`EXPLAIN ANALYZE ${sql}`))
    } else {
      for await (const batch of this.#answer(tree, sql)) yield { ...batch, ...roles }
    }
  }

  async *describe(): AsyncGenerator<ResultBatch, void, void> {
    const { sql, roles } = await this.#prepare()
    if (this.#query.explains !== 'no') yield textTable(explainColumns, [])
    else {
      await this.#name()
      yield { ...(await this.#session.describe(sql)), ...roles }
    }
  }

  async #prepare() {
    const session = this.#session
    const parsed = await session.parse(this.#query.text)
    checkShape(parsed)
    checkFunctions(parsed)
    shortenNames(parsed)
    nameColumns(parsed)
    const evaluate = (values: readonly TreeNode[]) => this.#evaluate(values)
    const tree = await fillGaps(parsed, { session, evaluate, meter: this.#meter })
    const uses = tableUses(tree)
    const names = columnNames(tree)
    for (const [i, use] of uses.entries())
      await this.#prepareTable(`mr_t${i}`, use, names, evaluate)
    const roles = columnRoles(tree, this.#tables)
    const sql = await session.print(translateFunctions(tree, this.#functions))
    return { tree, sql, roles }
  }

  async #prepareTable(
    table: string,
    use: TableUse,
    names: ReadonlySet<string>,
    evaluate: (values: readonly TreeNode[]) => Promise<bigint[] | undefined>,
  ): Promise<void> {
    const { store } = this.#scope
    if (use.schema === 'information_schema') {
      const small = await informationTable(use.name, store, this.#bucket)
      await this.#session.run(createSmallTable(table, small))
    } else {
      const reader = new TableReader(this.#scope, this.#bucket, evaluate)
      this.#tables.push(await reader.prepare(table, use, names))
    }
    // Columns may still be called by the name that the statement gave.
    const { node } = use
    Object.assign(node, { alias: use.alias, table_name: table, schema_name: '', catalog_name: '' })
  }

  async *#answer(tree: TreeNode, sql: string): AsyncGenerator<ResultBatch, void, void> {
    const [first] = this.#tables
    const streams = this.#scope.streamsTables !== false
    if (streams && first !== undefined && isReadOnce(tree, first.node)) {
      await this.#name()
      yield* this.#session.query(sql, tableFeed(this.#load, first))
    } else {
      await this.#keep()
      yield* this.#session.query(sql)
    }
  }

  async #name(): Promise<void> {
    for (const table of this.#tables) await nameTable(this.#load, table)
  }

  async #keep(): Promise<void> {
    for (const table of this.#tables) await keepTable(this.#load, table)
  }

  /** Moments of constant expressions, in nanoseconds; undefined where one of them is none. */
  async #evaluate(values: readonly TreeNode[]): Promise<bigint[] | undefined> {
    if (values.length === 0) return []
    selectOne ??= await this.#session.parse('SELECT 1')
    const select = { ...selectOne, select_list: values.map(momentOf) }
    const sql = await this.#session.print(translateFunctions(select, this.#functions))
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
    const reads = this.#tables.map(({ description }) => description).join('\n')
    const { columns } = await answer
    const physical = valueAt(columns[1] as Column, 0)
    const title = this.#query.explains === 'analysis' ? 'Plan with Metrics' : 'physical_plan'
    return textTable(explainColumns, [
      ...(reads === '' ? [] : [['store_reads', reads]]),
      [title, String(physical)],
    ])
  }
}

/** A query to put expressions into, as DuckDB has it. */
let selectOne: TreeNode | undefined

const explainColumns = ['plan_type', 'plan']

function momentOf(value: TreeNode): TreeNode {
  return call('epoch_ns', cast({ ...value, alias: '' }, 'TIMESTAMP_NS'))
}
