// What is read of the store for a table of a statement: the columns that it names, the range of time and
// the predicate that its conditions allow.
//
// A row of the store that has no value in the fields asked for is usually not handed out, but in SQL it is
// a row with nulls. So every row is asked for, unless the conditions let no such row pass.

import type { Predicate } from '../column/predicate.js'
import { allTime, type TimeRange } from '../column/time.js'
import type { BucketId, ReadRequest } from '../store/store.js'
import { type PushedConditions, pushConditions, type TimeBound } from './conditions.js'
import { missingTable } from './failure.js'
import { type LoadColumn, loadColumn, type TableLoad } from './load.js'
import { partialAggregates } from './partial-aggregates.js'
import { type TableSchema, tableSchema } from './schema.js'
import type { SqlScope } from './scope.js'
import type { TableUse } from './table-uses.js'
import type { TreeNode } from './tree.js'

export interface LoadedTable {
  readonly node: TreeNode
  readonly schema: TableSchema
  /** What is read, for EXPLAIN. */
  readonly description: string
  readonly load: TableLoad
}

export type Evaluate = (values: readonly TreeNode[]) => Promise<bigint[] | undefined>

export class TableReader {
  readonly #scope: SqlScope
  readonly #bucket: BucketId
  readonly #evaluate: Evaluate

  constructor(scope: SqlScope, bucket: BucketId, evaluate: Evaluate) {
    this.#scope = scope
    this.#bucket = bucket
    this.#evaluate = evaluate
  }

  /** Throws where there is no such table. */
  async prepare(table: string, use: TableUse, names: ReadonlySet<string>): Promise<LoadedTable> {
    const { store } = this.#scope
    const schema = await tableSchema(store, this.#bucket, use.name)
    if (schema === undefined) throw missingTable(use.name)
    const pushed = pushConditions(use.conjuncts, schema)
    const range = await this.#range(pushed.bounds)
    const predicate = joined(pushed.predicates)
    const shape = await this.#shape(use, schema, names, pushed, range)
    const base = { bucket: this.#bucket, measurement: schema.name, predicate }
    const request: ReadRequest = { ...base, range: range ?? allTime, ...shape.request }
    const columns = shape.columns
    const listsTags = this.#scope.listsTags !== false
    return {
      node: use.node,
      schema,
      description: describe(request, columns),
      load: {
        store,
        table,
        columns,
        request: range === undefined ? undefined : request,
        listsTags,
      },
    }
  }

  async #shape(
    use: TableUse,
    schema: TableSchema,
    names: ReadonlySet<string>,
    pushed: PushedConditions,
    range: TimeRange | undefined,
  ): Promise<{ columns: LoadColumn[]; request: Partial<ReadRequest> }> {
    const isPushed = this.#scope.pushesAggregates !== false && range !== undefined
    if (isPushed && pushed.isOfSeries) {
      const partial = await partialAggregates(use, schema, this.#evaluate)
      if (partial !== undefined) return partial
    }
    const wanted = schema.columns.filter(
      ({ kind, insideName }) => use.needsAll || kind === 'time' || names.has(insideName),
    )
    const fields = wanted.flatMap((column) => (column.kind === 'field' ? [column.name] : []))
    const everyRow = !pushed.needsValue
    return {
      columns: wanted.map((column) => loadColumn(column, fields)),
      request: { fields, everyRow },
    }
  }

  /** Undefined: no moment lies in it. */
  async #range(bounds: readonly TimeBound[]): Promise<TimeRange | undefined> {
    return boundedRange(bounds, await this.#evaluate(bounds.map(({ value }) => value)))
  }
}

export function boundedRange(
  bounds: readonly TimeBound[],
  values: readonly bigint[] | undefined,
): TimeRange | undefined {
  let { start, stop } = allTime
  // What is not known ahead narrows nothing.
  bounds.forEach(({ op }, i) => {
    const value = values?.[i]
    if (value === undefined) return
    const from = op === '>' ? value + 1n : value
    const to = op === '<' ? value : value + 1n
    if ((op === '>' || op === '>=' || op === '=') && from > start) start = from
    if ((op === '<' || op === '<=' || op === '=') && to < stop) stop = to
  })
  return start < stop ? { start, stop } : undefined
}

function joined(parts: readonly Predicate[]): Predicate | undefined {
  return parts.length <= 1 ? parts[0] : { kind: 'and', parts }
}

function describe(request: ReadRequest, columns: readonly LoadColumn[]): string {
  const { measurement, range, predicate, window } = request
  const time = (ns: bigint, end: bigint) => (ns === end ? '' : String(ns))
  return [
    `${measurement}: columns=[${columns.map(({ name }) => name).join(', ')}]`,
    `time=[${time(range.start, allTime.start)}, ${time(range.stop, allTime.stop)})`,
    ...(predicate === undefined ? [] : [`predicate=${JSON.stringify(predicate, bigintText)}`]),
    ...(window === undefined ? [] : [`windows of ${window.everyNs ?? 'all'} ns`]),
  ].join(' ')
}

function bigintText(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}
