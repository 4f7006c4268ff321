// What is read of the store for a table of a statement: the columns that it names, the range of time and
// the predicate that its conditions allow.
//
// A row of the store that has no value in the fields asked for is usually not handed out, but in SQL it is
// a row with nulls. So every row is asked for, unless the conditions let no such row pass.

import type { Predicate } from '../../column/predicate.js'
import { allTime, type TimeRange } from '../../column/time.js'
import { estimateReads } from '../../store/read-estimates.js'
import type { BucketId, ReadRequest, SchemaRequest, WindowAggregate } from '../../store/store.js'
import type { FeedColumn } from '../engine/feed-column.js'
import { missingTable } from '../statement/failure.js'
import type { TableUse } from '../statement/table-uses.js'
import type { TreeNode } from '../statement/tree.js'
import {
  boundedRange,
  type Evaluate,
  type PushedConditions,
  pushConditions,
  type TimeBound,
} from './conditions.js'
import { type PartialRead, partialAggregates } from './partial-aggregates.js'
import { feedColumn, type TableSchema, tableSchema } from './schema.js'
import type { SqlScope } from './scope.js'

/** Values of windows that the store may hold for a read, some 16 MB. */
const groupValuesMax = 1 << 20

export interface TableRead {
  readonly use: TableUse
  /** What stands in the place of the query that reads it; undefined: the query stays as it is. */
  readonly query: TreeNode | undefined
  readonly schema: TableSchema
  /** What it is called in DuckDB. */
  readonly table: string
  readonly columns: readonly FeedColumn[]
  /** Undefined: the table has no rows. */
  readonly request: ReadRequest | undefined
  /** What is read, for EXPLAIN. */
  readonly description: string
}

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
  async prepare(table: string, use: TableUse, names: ReadonlySet<string>): Promise<TableRead> {
    const { store } = this.#scope
    const schema = await tableSchema(store, this.#bucket, use.name)
    if (schema === undefined) throw missingTable(use.name)
    const pushed = pushConditions(use.conjuncts, schema)
    const range = await this.#range(pushed.bounds)
    const predicate = joined(pushed.predicates)
    const shape = await this.#shape(use, schema, names, pushed, range)
    const base = { bucket: this.#bucket, measurement: schema.name, predicate }
    const request: ReadRequest = { ...base, range: range ?? allTime, ...shape.request }
    const { columns } = shape
    return {
      use,
      query: shape.query,
      schema,
      table,
      columns,
      request: range === undefined ? undefined : request,
      description: describeRead(
        request,
        columns.map(({ name }) => name),
      ),
    }
  }

  async #shape(
    use: TableUse,
    schema: TableSchema,
    names: ReadonlySet<string>,
    pushed: PushedConditions,
    range: TimeRange | undefined,
  ): Promise<{ columns: FeedColumn[]; request: Partial<ReadRequest>; query?: TreeNode }> {
    const isPushed = this.#scope.pushesAggregates !== false && range !== undefined
    if (isPushed && pushed.isOfSeries) {
      const partial = await partialAggregates(use, schema, this.#evaluate)
      if (partial !== undefined) {
        const { columns, query, window } = partial
        const groupBy = await this.#groupBy(partial, schema, range)
        const { memoryBytesMax } = this.#scope.limits
        return {
          columns,
          query,
          request: { memoryBytesMax, window: { ...window, groupBy, refusesOverflow: true } },
        }
      }
    }
    const wanted = schema.columns.filter(
      ({ kind, insideName }) => use.needsAll || kind === 'time' || names.has(insideName),
    )
    const fields = wanted.flatMap((column) => (column.kind === 'field' ? [column.name] : []))
    const everyRow = !pushed.needsValue
    return {
      columns: wanted.map((column) => feedColumn(column, fields)),
      request: { fields, everyRow },
    }
  }

  /** Undefined: each series by itself. The store holds the windows of all groups until it has read everything. */
  async #groupBy(
    { tags, window }: PartialRead,
    schema: TableSchema,
    range: TimeRange,
  ): Promise<readonly string[] | undefined> {
    const { store } = this.#scope
    if (schema.columns.every(({ kind, name }) => kind !== 'tag' || tags.includes(name))) {
      return undefined
    }
    // Whole numbers wrap at 64 bits in the store, and do not in DuckDB: one series seldom gets that far.
    if (window.aggregates.some((each) => each.function === 'sum' && !isFloat(each.field, schema))) {
      return undefined
    }
    const series = { bucket: this.#bucket, measurement: schema.name }
    const groupsMax = tags.length === 0 ? 1 : await store.cardinality(series)
    const windowsMax = await this.#windowsMax(window, { ...series, range })
    return groupsMax * windowsMax * window.aggregates.length <= groupValuesMax ? tags : undefined
  }

  async #windowsMax({ everyNs }: WindowAggregate, request: SchemaRequest): Promise<number> {
    if (everyNs === undefined) return 1
    const { range } = await this.#scope.store.extent(request)
    return range === undefined ? 0 : Number((range.stop - range.start) / everyNs) + 2
  }

  /** Undefined: no moment lies in it. */
  async #range(bounds: readonly TimeBound[]): Promise<TimeRange | undefined> {
    return boundedRange(bounds, await this.#evaluate(bounds.map(({ value }) => value)))
  }
}

function isFloat(field: string, { columns }: TableSchema): boolean {
  return columns.some(
    (each) => each.kind === 'field' && each.name === field && each.type === 'float',
  )
}

function joined(parts: readonly Predicate[]): Predicate | undefined {
  return parts.length <= 1 ? parts[0] : { kind: 'and', parts }
}

/** For EXPLAIN: what other servers are sent, where the store asks some. */
export async function statementRows(
  { store }: SqlScope,
  requests: readonly (ReadRequest | undefined)[],
  signal: AbortSignal,
): Promise<string[][]> {
  const lines: string[] = []
  for (const request of requests) {
    if (request !== undefined) lines.push(...((await store.statements?.(request, signal)) ?? []))
  }
  return lines.length === 0 ? [] : [['store_statements', lines.join('\n')]]
}

/** For EXPLAIN: what the reads are expected to take, and who answers. */
export async function estimateRow(
  { store }: SqlScope,
  requests: readonly (ReadRequest | undefined)[],
  answeredBy: 'the store alone' | 'an engine of SQL',
  signal: AbortSignal,
): Promise<string[]> {
  const read = requests.filter((request) => request !== undefined)
  const { valueCount, storedBytes, isShared } = await estimateReads(store, read, signal)
  const parts = [
    `about ${valueCount} values`,
    ...(storedBytes === undefined ? [] : [`${storedBytes} bytes of blocks`]),
    isShared ? 'shared by threads' : 'not shared by threads',
    `answered by ${answeredBy}`,
  ]
  return ['estimate', parts.join(', ')]
}

/** For EXPLAIN. */
export function describeRead(request: ReadRequest, columns: readonly string[]): string {
  const { measurement, range, predicate, window } = request
  const time = (ns: bigint, end: bigint) => (ns === end ? '' : String(ns))
  return [
    `${measurement}: columns=[${columns.join(', ')}]`,
    `time=[${time(range.start, allTime.start)}, ${time(range.stop, allTime.stop)})`,
    ...(predicate === undefined ? [] : [`predicate=${JSON.stringify(predicate, bigintText)}`]),
    ...(window === undefined ? [] : [`windows of ${window.everyNs ?? 'all'} ns`]),
    ...(window?.groupBy === undefined ? [] : [`groups by [${window.groupBy.join(', ')}]`]),
  ].join(' ')
}

function bigintText(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}
