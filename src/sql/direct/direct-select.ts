// A plain query carried out over the store, without an engine: most of what dashboards ask. Rows whose order the store
// has already are handed on as they come; others are gathered, put in order and cut.

import type { Batch } from '../../column/batch.js'
import { isTagPredicate } from '../../column/predicate.js'
import { allTime, type TimeRange } from '../../column/time.js'
import type { MaybePromise } from '../../platform/pull-stream.js'
import { inTurns } from '../../platform/turns.js'
import { firstRowsParts } from '../../query/first-rows.js'
import type { ResultBatch, ResultColumn } from '../../query/language.js'
import { QueryMeter } from '../../query/limits.js'
import type { BucketId, ReadRequest, SchemaRequest } from '../../store/store.js'
import { resultBatch } from '../engine/batch-bytes.js'
import { boundedRange } from '../plan/conditions.js'
import { momentOf } from '../plan/moments.js'
import { tableSchema } from '../plan/schema.js'
import type { SqlScope } from '../plan/scope.js'
import { describeRead, estimateRow, statementRows } from '../plan/table-reads.js'
import { missingTable } from '../statement/failure.js'
import { parsedQuery } from '../statement/query.js'
import { shortenNames, type TableUse } from '../statement/table-uses.js'
import { nameColumns } from '../statement/titles.js'
import { type CutWindow, columnsOf, cutWindow, emptyColumn } from './batch-columns.js'
import { LeftToEngine } from './computed-column.js'
import { type Bar, GatheredRows, oneRow } from './gathered-rows.js'
import { sortedRows } from './row-order.js'
import { parseSelect } from './select-parser.js'
import { planSelect, type SelectPlan } from './select-plan.js'
import { tagBatches, tagCount } from './tag-read.js'

/** More rows are put in order by DuckDB, on another core. */
const gatheredRowsMax = 200_000

/** What the store says ahead may be larger than the truth, so that it is tried up to this. */
const expectedRowsMax = 10 * gatheredRowsMax

/** Up to here rows of all series are read as they are, however few of them are shown. */
const soughtRowsMin = 8192

/** Of an answer that is cut to so many rows no others are kept, and far more may be looked through. */
const retainedRowsMax = 10_000
const retainedRoomRows = 5 * retainedRowsMax
const passedRowsMax = 10 * expectedRowsMax

export class DirectSelect {
  readonly #use: TableUse

  private constructor(use: TableUse) {
    this.#use = use
  }

  /** Undefined where the text is not of this kind. */
  static of(text: string): DirectSelect | undefined {
    const tree = parseSelect(text)
    if (tree === undefined) return undefined
    shortenNames(tree)
    nameColumns(tree)
    const [use] = parsedQuery(tree).uses
    return use?.schema === 'iox' ? new DirectSelect(use) : undefined
  }

  /** Undefined where an engine has to carry it out. */
  async plan(scope: SqlScope, signal: AbortSignal): Promise<DirectRun | undefined> {
    if (scope.answersDirectly === false) return undefined
    const bucket = await scope.bucket(scope.database)
    const schema = await tableSchema(scope.store, bucket, this.#use.name)
    if (schema === undefined) throw missingTable(this.#use.name)
    const now = scope.clock.now()
    const plan = planSelect(this.#use, schema, now)
    if (plan === undefined) return undefined
    const moments = plan.bounds.map(({ value }) => momentOf(value, now))
    if (!moments.every((moment) => moment !== undefined)) return undefined
    const range = boundedRange(plan.bounds, moments)
    const run = new DirectRun(scope, bucket, schema.name, plan, range)
    return (await run.isSmall(signal)) ? run : undefined
  }
}

export class DirectRun {
  readonly #scope: SqlScope
  readonly #plan: SelectPlan
  readonly #request: ReadRequest
  readonly #meter: QueryMeter
  readonly #cutWindow: CutWindow | undefined
  /** Undefined: no moment lies in it. */
  readonly #range: TimeRange | undefined
  #isOrdered = false
  /** Where the first rows by time are looked for, and how many there are; undefined: all are read. */
  #sought: { readonly range: TimeRange; readonly rowCountMax: number } | undefined

  constructor(
    scope: SqlScope,
    bucket: BucketId,
    measurement: string,
    plan: SelectPlan,
    range: TimeRange | undefined,
  ) {
    this.#scope = scope
    this.#plan = plan
    this.#range = range
    this.#meter = new QueryMeter(scope.limits, scope.figures)
    const { memoryBytesMax } = scope.limits
    this.#request = { ...plan.read, bucket, measurement, memoryBytesMax, range: range ?? allTime }
    const { window } = plan.read
    this.#cutWindow = window && range ? cutWindow(window, range) : undefined
  }

  /** Whether what has to be held fits here; finds out on the way whether the store's order will do. */
  async isSmall(signal: AbortSignal): Promise<boolean> {
    const { order, read, filter, isComputed, isOneRow } = this.#plan
    this.#isOrdered = order.length === 0 && !isComputed && !isOneRow
    const isStreamed = this.#isOrdered && read.window === undefined
    if (isStreamed || this.#range === undefined) return true
    const { store } = this.#scope
    const { bucket, measurement, predicate } = this.#request
    const series: SchemaRequest = {
      bucket,
      measurement,
      range: this.#range,
      predicate: predicate !== undefined && isTagPredicate(predicate) ? predicate : undefined,
    }
    const groupsMax = await store.cardinality(series, signal)
    if (read.window === undefined && this.#isByTime && groupsMax <= 1 && !isComputed) {
      this.#isOrdered = true
      return true
    }
    const extent = await store.extent(series, signal)
    if (read.window === undefined) {
      const { rowCountMax } = extent
      const { limitPerSeries = rowCountMax } = this.#cut()
      const rowsMax = Math.min(rowCountMax, groupsMax * limitPerSeries)
      const isSought =
        this.#isByTime && this.#retains && filter === undefined && this.#shownRowsMax > 0
      if (isSought && rowsMax > soughtRowsMin && extent.range !== undefined) {
        this.#sought = { range: extent.range, rowCountMax }
        return true
      }
      return rowsMax <= (this.#retains ? passedRowsMax : expectedRowsMax)
    }
    if (this.#plan.onlyTag?.isCounted === true && extent.isWhole !== true) {
      return groupsMax <= gatheredRowsMax
    }
    const { everyNs, groupBy } = read.window
    const spanNs = extent.range === undefined ? 0n : extent.range.stop - extent.range.start
    const windowsMax = everyNs === undefined ? 1 : Number(spanNs / everyNs) + 2
    return (groupBy!.length === 0 ? 1 : groupsMax) * windowsMax <= expectedRowsMax
  }

  /** The columns of the answer, as a batch without rows. */
  describe(): ResultBatch {
    return this.#batch(this.#plan.sources.map(emptyColumn), 0)
  }

  /** What is read, and what is done with it here. */
  async explain(signal: AbortSignal): Promise<string[][]> {
    const { columnNames, order, limit, offset, onlyTag } = this.#plan
    const steps = [
      ...(onlyTag === undefined ? [] : [`values of ${onlyTag.tag} by the index if all rows count`]),
      ...(order.length > 0 ? [`order by ${order.length} keys`] : []),
      ...(offset > 0 ? [`skip ${offset}`] : []),
      ...(Number.isFinite(limit) ? [`at most ${limit} rows`] : []),
    ]
    const held = this.#isOrdered ? 'as they come' : this.#sought ? 'first by time' : 'gathered'
    return [
      ['store_reads', describeRead(this.#request, columnNames)],
      await estimateRow(this.#scope, this.#range ? [this.#request] : [], 'the store alone', signal),
      ...(await statementRows(this.#scope, [this.#request], signal)),
      ['physical_plan', ['StoreRows', held, ...steps].join(', ')],
    ]
  }

  async *run(signal: AbortSignal): AsyncGenerator<ResultBatch, void, void> {
    let isEmpty = true
    if (this.#plan.onlyTag?.isCounted === true) return yield* this.#counted(signal)
    const values = await this.#tagValues(signal)
    const found = values ?? this.#rows(signal)
    const isOrdered = this.#isOrdered || (values !== undefined && this.#isByTag)
    const batches = isOrdered ? this.#streamed(found) : this.#gathered(found, signal)
    for await (const batch of batches) {
      isEmpty = false
      yield batch
    }
    if (isEmpty) yield this.describe()
  }

  async *#counted(signal: AbortSignal): AsyncGenerator<ResultBatch, void, void> {
    const { sources, limit, offset } = this.#plan
    const count = this.#range === undefined ? 0 : await this.#countValues(signal)
    if (limit === 0 || offset > 0) return yield this.describe()
    const values = Float64Array.of(count)
    const column: ResultColumn = { type: 'integer', values, validity: undefined }
    yield this.#batch(
      Array.from(sources, () => column),
      1,
    )
  }

  async #countValues(signal: AbortSignal): Promise<number> {
    const { tag } = this.#plan.onlyTag!
    const known = await tagCount(this.#scope.store, this.#request, tag, signal)
    if (known !== undefined) return known
    let count = 0
    for await (const { runs } of this.#rows(signal)) {
      for (const { key } of runs) if (key.tags.length > 0) count++
    }
    return count
  }

  async *#streamed(found: AsyncIterable<Batch>): AsyncGenerator<ResultBatch, void, void> {
    const { sources, limit, offset } = this.#plan
    let skipped = 0
    let left = limit
    if (left === 0) return
    for await (const batch of found) {
      const from = Math.min(offset - skipped, batch.rowCount)
      const to = Math.min(batch.rowCount, from + left)
      skipped += from
      if (from === to) continue
      left -= to - from
      yield this.#batch(columnsOf(batch, sources, this.#cutWindow, from, to), to - from)
      if (left === 0) return
    }
  }

  async *#gathered(
    found: AsyncIterable<Batch>,
    signal: AbortSignal,
  ): AsyncGenerator<ResultBatch, void, void> {
    const { sources, order, limit, offset, isOneRow, filter } = this.#plan
    const keys = order.map(({ source }) => source)
    const rows = new GatheredRows([...sources, ...keys], this.#cutWindow, filter)
    for await (const batch of found) {
      rows.add(batch)
      this.#meter.checkMemory(rows.byteLength)
      if (rows.rowCount <= this.#roomRows) continue
      if (!this.#retains) throw new LeftToEngine()
      rows.retain((await this.#sorted(rows, signal)).subarray(0, this.#shownRowsMax))
      rows.bar = this.#bar(rows)
    }
    if (isOneRow && rows.rowCount === 0) {
      if (limit > 0 && offset === 0) yield this.#batch(sources.map(oneRow), 1)
      return
    }
    const sorted = await this.#sorted(rows, signal)
    const wanted = sorted.subarray(offset, Math.min(offset + limit, rows.rowCount))
    for (const [columns, rowCount] of rows.pieces(wanted, sources.length)) {
      yield this.#batch(columns, rowCount)
    }
  }

  #sorted(rows: GatheredRows, signal: AbortSignal): MaybePromise<Uint32Array> {
    const { sources, order } = this.#plan
    const keys = order.map((key, i) => ({ ...key, column: rows.column(sources.length + i) }))
    return inTurns(sortedRows(keys, rows.rowCount), signal)
  }

  /** The last row that is kept, as many as are shown; undefined: its first key is nothing, or needs a bigint. */
  #bar(rows: GatheredRows): Bar | undefined {
    const [key] = this.#plan.order
    const last = rows.rowCount - 1
    if (key === undefined || last < 0) return undefined
    const { values, validity } = rows.column(this.#plan.sources.length)
    if (!(values instanceof Float64Array)) return undefined
    if (validity !== undefined && validity[last] === 0) return undefined
    return { ...key, value: values[last], takesEqual: this.#plan.order.length > 1 }
  }

  /** Rows of the answer and those that it skips. */
  get #shownRowsMax(): number {
    return this.#plan.offset + this.#plan.limit
  }

  /** Groups are not left to DuckDB, which would get all rows that they are made from. */
  get #roomRows(): number {
    if (this.#retains) return retainedRoomRows
    return this.#plan.read.window === undefined ? gatheredRowsMax : expectedRowsMax
  }

  /** Most rows are not worth keeping, and one look at their first key tells: texts are compared by DuckDB. */
  get #retains(): boolean {
    const [key] = this.#plan.order
    if (key === undefined || this.#shownRowsMax > retainedRowsMax) return false
    const { source } = key
    return source.kind !== 'tag' && !('type' in source && /string|boolean/.test(source.type))
  }

  /** Of each series no more rows than the answer can have, where they come in its order. */
  #cut(): Pick<ReadRequest, 'descending' | 'limitPerSeries'> {
    const { order, read, filter } = this.#plan
    if (read.window !== undefined || filter !== undefined || (order.length > 0 && !this.#isByTime))
      return {}
    const rowsMax = this.#shownRowsMax
    const limitPerSeries = Number.isFinite(rowsMax) ? Math.max(1, rowsMax) : undefined
    return { descending: order[0]?.isDescending ?? false, limitPerSeries }
  }

  get #isByTime(): boolean {
    const { order } = this.#plan
    return order.length === 1 && order[0].source.kind === 'time'
  }

  /** From the index; undefined: rows must be read. */
  async #tagValues(signal: AbortSignal): Promise<AsyncIterable<Batch> | undefined> {
    const { onlyTag, order } = this.#plan
    if (onlyTag === undefined || this.#range === undefined) return undefined
    const tag = { tag: onlyTag.tag, nullsFirst: order[0]?.nullsFirst ?? true }
    return tagBatches(this.#scope.store, this.#request, tag, signal)
  }

  /** Whether the index has its values in the order that is asked for. */
  get #isByTag(): boolean {
    const { order, filter } = this.#plan
    const isAscending = order.length === 1 && !order[0].isDescending && filter === undefined
    return isAscending && order[0].source.kind === 'tag'
  }

  async *#rows(signal: AbortSignal): AsyncGenerator<Batch, void, void> {
    if (this.#range === undefined) return
    const request = { ...this.#request, ...this.#cut() }
    let count = 0
    for await (const range of this.#parts(request, signal)) {
      for await (const batch of this.#scope.store.read({ ...request, range }, signal)) {
        this.#meter.addPoints(batch.rowCount)
        count += batch.rowCount
        yield batch
      }
      if (count >= this.#shownRowsMax) return
    }
  }

  async *#parts(read: ReadRequest, signal: AbortSignal): AsyncGenerator<TimeRange, void, void> {
    if (this.#sought === undefined) return yield read.range
    const { range, rowCountMax } = this.#sought
    const request = {
      read: { ...read, range },
      wanted: this.#shownRowsMax,
      ascending: read.descending !== true,
    }
    yield* firstRowsParts(this.#scope.store, request, rowCountMax, signal)
  }

  #batch(columns: readonly ResultColumn[], rowCount: number): ResultBatch {
    const { columnNames, columnRoles } = this.#plan
    const { measurement: name } = this.#request
    return { ...resultBatch(columnNames, { columns, rowCount }), name, columnRoles }
  }
}
