// One statement, from its text to its batches: parsed by DuckDB, checked, its tables found and its
// conditions told to the store, the rows loaded, and the changed statement run over them. Whatever goes
// wrong in DuckDB is told in our words.

import { UserError } from '../errors.js'
import { processMemory } from '../platform/process-memory.js'
import type { ResultBatch } from '../query/language.js'
import { QueryMeter } from '../query/limits.js'
import type { BucketId } from '../store/store.js'
import { failureOf } from './failure.js'
import { checkFunctions, type FunctionContext, translateFunctions } from './functions.js'
import { fillGaps } from './gapfill.js'
import { createSmallTable, informationTable } from './information.js'
import { guardMemory } from './memory-guard.js'
import { type LoadedTable, TableReader } from './reads.js'
import { resultBatches } from './result.js'
import { columnRoles } from './roles.js'
import type { SqlScope } from './scope.js'
import { Session } from './session.js'
import { checkShape, columnNames, shortenNames, type TableUse, tableUses } from './table-uses.js'
import { textTable } from './text-table.js'
import { nameColumns } from './titles.js'
import { call, cast, type TreeNode } from './tree.js'

/** What is asked of DuckDB. */
export interface SqlQuery {
  readonly text: string
  readonly explains: 'no' | 'plan' | 'analysis'
}

export async function* execute(
  query: SqlQuery,
  scope: SqlScope,
  signal: AbortSignal,
): AsyncGenerator<ResultBatch, void, void> {
  signal.throwIfAborted()
  const bucket = await scope.bucket(scope.database)
  const { memoryBytesMax } = scope.limits
  const session = await Session.open(memoryBytesMax)
  const { memory = processMemory } = scope
  // From here on: to load DuckDB takes memory too, and once.
  yield* guardMemory(memory, memoryBytesMax, signal, (guarded) =>
    executeIn(session, query, scope, bucket, guarded),
  )
}

async function* executeIn(
  session: Session,
  query: SqlQuery,
  scope: SqlScope,
  bucket: BucketId,
  signal: AbortSignal,
): AsyncGenerator<ResultBatch, void, void> {
  const interrupt = () => session.connection.interrupt()
  signal.addEventListener('abort', interrupt)
  const execution = new Execution(query, scope, session, bucket, signal)
  try {
    yield* execution.run()
  } catch (error) {
    // Whatever breaks under a query that was stopped, being stopped is the reason.
    if (signal.aborted) throw signal.reason
    throw error instanceof UserError ? error : failureOf(error as Error, execution.columnsKnown)
  } finally {
    signal.removeEventListener('abort', interrupt)
    session.close()
  }
}

class Execution {
  readonly #query: SqlQuery
  readonly #scope: SqlScope
  readonly #session: Session
  readonly #bucket: BucketId
  readonly #signal: AbortSignal
  readonly #meter: QueryMeter
  readonly #functions: FunctionContext
  #tables: LoadedTable[] = []

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
    this.#meter = new QueryMeter(scope.limits)
    this.#functions = { now: scope.clock.now(), text: Buffer.from(query.text) }
  }

  /** Of the tables that the statement names, for messages. */
  get columnsKnown(): string[] {
    return this.#tables.flatMap(({ schema }) =>
      schema.columns.map(({ name }) => `${schema.name}.${name}`),
    )
  }

  async *run(): AsyncGenerator<ResultBatch, void, void> {
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
    if (this.#query.explains !== 'no') {
      yield* this.#explain(sql)
      return
    }
    await this.#load()
    const result = await session.stream(sql)
    for await (const batch of resultBatches(session.bindings, result, this.#signal)) {
      yield roles === undefined ? batch : { ...batch, ...roles }
    }
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

  async #load(): Promise<void> {
    for (const { load } of this.#tables) {
      await load(this.#session, this.#meter, this.#signal)
    }
  }

  /** Moments of constant expressions, in nanoseconds; undefined where one of them is none. */
  async #evaluate(values: readonly TreeNode[]): Promise<bigint[] | undefined> {
    if (values.length === 0) return []
    const select = await this.#session.parse('SELECT 1')
    select.select_list = values.map((value) => momentOf(value))
    const sql = await this.#session.print(translateFunctions(select, this.#functions))
    try {
      const row = await this.#session.row(sql)
      return row.every((value) => typeof value === 'bigint') ? (row as bigint[]) : undefined
    } catch (error) {
      // What cannot be computed ahead fails, or not, when the statement runs.
      if (this.#signal.aborted) throw error
      return undefined
    }
  }

  async *#explain(sql: string): AsyncGenerator<ResultBatch, void, void> {
    const isAnalyzed = this.#query.explains === 'analysis'
    if (isAnalyzed) await this.#load()
    else for (const { create } of this.#tables) await create(this.#session)
    const reads = this.#tables.map(({ description }) => description).join('\n')
    const answer = await this.#session.row(`EXPLAIN ${isAnalyzed ? 'ANALYZE ' : ''}${sql}`)
    const [physical] = answer.slice(1)
    const plans = [
      ...(reads === '' ? [] : [['store_reads', reads]]),
      [isAnalyzed ? 'Plan with Metrics' : 'physical_plan', String(physical)],
    ]
    yield textTable(['plan_type', 'plan'], plans)
  }
}

function momentOf(value: TreeNode): TreeNode {
  return call('epoch_ns', cast({ ...value, alias: '' }, 'TIMESTAMP_NS'))
}
