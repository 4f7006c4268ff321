// The SELECT that dashboards ask most: counts, sums, means, extremes and spreads of numbers by windows, from
// one measurement and a range with two ends; or one value of each group, as its last one. The store computes the
// windows of each group; here they are laid beside each other, and each group leaves as one block of columns. What
// does not depend on the literals of the query is found once (`WindowCalls`), so that asking again with another range
// costs little more than reading. Every other SELECT goes through the pipelines of its calls.

import type { Batch } from '../../column/batch.js'
import type { Column, FieldType } from '../../column/column.js'
import { type TimeColumn, type TimeRange, timeMax, timeMin } from '../../column/time.js'
import { type MaybePromise, PullStream, takeEach } from '../../platform/pull-stream.js'
import { AggregateList } from '../../query/aggregate-list.js'
import { ColumnBuilder, gatherColumn } from '../../query/column-builder.js'
import { WindowGrid } from '../../query/window-grid.js'
import type { Aggregate, AggregateFunction, ReadRequest } from '../../store/store.js'
import { type StoreParts, storeParts } from '../functions/function-spec.js'
import { pushCondition } from '../plan/predicate.js'
import type { ResolvedMeasurement } from '../plan/resolved.js'
import type { SelectPlan } from '../plan/select-plan.js'
import type { Interval } from '../plan/validate.js'
import type { Fill } from '../syntax/ast.js'
import { chainOf } from './call-chain.js'
import { fillOf } from './call-pipeline.js'
import type { ExecuteContext } from './context.js'
import { combined, denseWindows } from './dense-windows.js'
import { evaluate, type MaybeColumn } from './evaluate.js'
import { PreparedReads } from './prepared-reads.js'
import { isConditionPushable, isPushable } from './pushed-calls.js'
import type { SelectPiece } from './rows.js'
import { checkSeriesLimit } from './series-groups.js'
import { stampOf } from './stamps.js'
import { WindowGroups } from './window-groups.js'
import { Yielder } from './yielder.js'

/** What a call is made of. `second`: means are a sum by a count, spreads the largest less the smallest. */
interface WindowCall {
  readonly join: StoreParts['join']
  readonly type: FieldType
  readonly first: number
  readonly second: number | undefined
  /** Of windows without points, in groups that have some. */
  readonly fill: Fill
}

/** First and last keep the times of their points where they are asked for alone. */
function isJoin(name: AggregateFunction): boolean {
  return name === 'sum' || name === 'count' || name === 'min' || name === 'max'
}

/** Tables of more windows than this are built one after the other, by the pipelines. */
const windowsMax = 100_000

/** Of a row that stands alone. */
const firstOffset = new Float64Array(1)

/** Their starts are kept for the next run: 16 KB. */
const keptWindowsMax = 2000

/** What is computed by windows, whatever the literals of the query are. */
export interface WindowCalls {
  readonly source: ResolvedMeasurement
  /** Undefined: the range is one window. */
  readonly interval: Interval | undefined
  /** The row of a group has the time of the point that was chosen. */
  readonly keepsTime: boolean
  readonly aggregates: readonly Aggregate[]
  readonly calls: readonly WindowCall[]
  /** Tags to group by, sorted. */
  readonly dimensions: readonly string[]
  /** Which call each column is; undefined: columns are computed from them. */
  readonly columnCalls: readonly number[] | undefined
  readonly reads: PreparedReads
  /** Of the run before: a dashboard that moves on asks for as many windows again. */
  times: TimeColumn | undefined
}

/** Undefined: the plan is not of this kind. */
export function windowCallsOf(plan: SelectPlan): WindowCalls | undefined {
  const { sources, interval, limit, offset, slimit, soffset, expressions } = plan
  const [source] = sources
  if (plan.isRaw || sources.length !== 1 || source.kind !== 'measurement') return undefined
  const isOne = interval === undefined
  if (!isOne && (interval.ns === 0n || interval.months > 0)) return undefined
  if (isOne && plan.fill.kind === 'number') return undefined
  if (limit + offset + slimit + soffset > 0 || !isPlainFill(plan.fill)) return undefined
  // Companions of a chosen point are only in its row.
  if (plan.isSelector && plan.references.length > 0) return undefined
  if (!isConditionPushable(plan.condition, source)) return undefined
  const list = new AggregateList()
  const calls: WindowCall[] = []
  for (const { call } of plan.calls) {
    const chain = chainOf(call, sources)
    if (chain === undefined || chain.steps.length > 1) return undefined
    const [{ spec, outputType: type }] = chain.steps
    const { parts, join } = storeParts(spec) ?? {}
    if (parts === undefined) return undefined
    // Windows lie in one array of numbers; of a single one the value may be anything.
    const isNumber = type !== 'string' && type !== 'boolean'
    if (!isOne && !(isNumber && parts.every(isJoin))) return undefined
    if (!isPushable(chain, source, interval, plan.zone)) return undefined
    const [first, second] = parts.map((part) => list.placeOf(chain.field.name, part))
    calls.push({ join, type, first, second, fill: fillOf(chain.steps[0], plan) })
  }
  const isPlain = expressions.every(({ kind }) => kind === 'reference')
  const columnCalls = isPlain
    ? expressions.map((each) => (each.kind === 'reference' ? slotOf(each.name) : 0))
    : undefined
  const dimensions = plan.dimensions.toSorted()
  const keepsTime = isOne && plan.isSelector
  const reads = new PreparedReads()
  const times = undefined
  const aggregates = list.all
  return { source, interval, keepsTime, aggregates, calls, dimensions, columnCalls, reads, times }
}

/** Those that look at nothing but the window itself. */
function isPlainFill({ kind }: Fill): boolean {
  return kind === 'number' || kind === 'null' || kind === 'none'
}

/** Whether windows can be laid: the range has two ends, or is one itself. */
export function hasWindows({ range, interval }: SelectPlan): boolean {
  if (range.min > range.max) return false
  return interval === undefined || (range.min !== timeMin && range.max !== timeMax)
}

/** One run: the windows of its range, and what the store is asked for. */
export class WindowSelect {
  readonly plan: SelectPlan
  readonly made: WindowCalls
  readonly request: ReadRequest
  readonly grid: WindowGrid
  /** Starts of the windows in the order of the query. */
  readonly times: TimeColumn
  /** For InfluxDB's limit, which does not count as windows are laid. */
  readonly bucketCount: number

  /** Undefined: there are too many windows. */
  static of(plan: SelectPlan, made: WindowCalls, memoryBytesMax: number): WindowSelect | undefined {
    const { interval } = made
    const range = { start: plan.range.min, stop: plan.range.max + 1n }
    const grid = new WindowGrid(range, interval?.ns ?? 0n, interval?.offsetNs ?? 0n)
    if (interval === undefined) {
      const start = { base: stampOf(range.start), offsets: firstOffset }
      return new WindowSelect(plan, made, range, grid, start, memoryBytesMax)
    }
    const times = grid.count > windowsMax ? undefined : grid.times(plan.ascending, made.times)
    made.times = grid.count > keptWindowsMax ? undefined : times
    return times && new WindowSelect(plan, made, range, grid, times, memoryBytesMax)
  }

  private constructor(
    plan: SelectPlan,
    made: WindowCalls,
    timeRange: TimeRange,
    grid: WindowGrid,
    times: TimeColumn,
    memoryBytesMax: number,
  ) {
    const { range, condition } = plan
    const { source, interval, aggregates, dimensions, keepsTime } = made
    this.plan = plan
    this.made = made
    this.grid = grid
    this.times = times
    this.bucketCount =
      interval === undefined || plan.bounds.min === undefined
        ? 0
        : Number((range.max - range.min) / interval.ns) + 1
    this.request = {
      bucket: source.bucket,
      measurement: source.name,
      range: timeRange,
      predicate: pushCondition(condition, source).predicate,
      memoryBytesMax,
      window: {
        everyNs: interval?.ns,
        offsetNs: interval?.offsetNs,
        aggregates,
        groupBy: dimensions,
        pointTimes: keepsTime,
      },
    }
  }
}

/** `c3`: the fourth call. */
function slotOf(name: string): number {
  return Number(name.slice(1))
}

function computed({ expressions }: SelectPlan, { columns, count }: Rows): MaybeColumn[] {
  const scope = { column: (name: string) => columns[slotOf(name)], rowCount: count }
  return expressions.map((expression) => evaluate(expression, scope))
}

interface Rows {
  readonly count: number
  readonly times: TimeColumn
  readonly columns: readonly Column[]
}

/** Only the windows in which a call has a value. */
function withoutGaps(rows: Rows): Rows {
  const { columns, times } = rows
  if (columns.some(({ validity }) => validity === undefined)) return rows
  const filled: number[] = []
  for (let i = 0; i < rows.count; i++) {
    if (columns.some(({ validity }) => validity![i] === 1)) filled.push(i)
  }
  if (filled.length === rows.count) return rows
  const order = Uint32Array.from(filled)
  const offsets = Float64Array.from(filled, (row) => times.offsets[row])
  return {
    count: filled.length,
    times: { base: times.base, offsets },
    columns: columns.map((column) => gatherColumn(column, order)),
  }
}

/** The pieces of the answer, one for each group. */
export class WindowPieces extends PullStream<SelectPiece> {
  readonly #select: WindowSelect
  readonly #context: ExecuteContext
  readonly #yielder: Yielder
  #groups: WindowGroups | undefined
  /** Groups that are read, and how many of them have left. */
  #groupCount = 0
  #taken = 0

  constructor(select: WindowSelect, context: ExecuteContext) {
    super()
    this.#select = select
    this.#context = context
    this.#yielder = new Yielder(context.signal)
  }

  take(): MaybePromise<SelectPiece | undefined> {
    if (this.#groups === undefined) {
      this.#groups = this.#newGroups()
      const read = this.#read(this.#groups)
      if (read instanceof Promise) return this.#afterwards(read, this.#groups)
    }
    return this.#piece(this.#groups)
  }

  #newGroups(): WindowGroups {
    const { grid, made } = this.#select
    const { aggregates, dimensions, source, keepsTime: keepsTimes } = made
    const { meter } = this.#context
    const { name } = source
    const aggregateCount = aggregates.length
    return new WindowGroups({ grid, aggregateCount, name, dimensions, keepsTimes, meter })
  }

  async #afterwards(
    read: Promise<unknown>,
    groups: WindowGroups,
  ): Promise<SelectPiece | undefined> {
    await read
    return this.#piece(groups)
  }

  #piece(groups: WindowGroups): MaybePromise<SelectPiece | undefined> {
    if (this.#taken === this.#groupCount) return undefined
    const taken = this.#taken++
    const isForward = this.#select.plan.ascending
    const piece = this.#pieceOf(groups, isForward ? taken : this.#groupCount - 1 - taken)
    return this.#yielder.isDue(piece.block.count) ? this.#yielder.yield().then(() => piece) : piece
  }

  #read(groups: WindowGroups): MaybePromise<void> {
    const { meter } = this.#context
    const { request, bucketCount } = this.#select
    meter.checkBuckets(bucketCount)
    if (meter.limits.seriesMax === 0) return this.#readBatches(groups)
    const allowed = checkSeriesLimit(this.#context, this.#select.made.source, request.predicate)
    return allowed.then(() => this.#readBatches(groups))
  }

  #readBatches(groups: WindowGroups): MaybePromise<void> {
    const { store, signal, figures } = this.#context
    figures.reads++
    const { request, made } = this.#select
    const batches = made.reads.read(store, request, signal)
    const read = takeEach(batches, (batch) => {
      this.#add(groups, batch)
      return true
    })
    if (read instanceof Promise) return read.then(() => this.#finish(groups))
    this.#finish(groups)
  }

  #add(groups: WindowGroups, batch: Batch): void {
    const { meter, figures } = this.#context
    meter.addPoints(batch.rowCount)
    figures.rowsRead += batch.rowCount
    groups.add(batch)
  }

  #finish(groups: WindowGroups): void {
    const { figures } = this.#context
    figures.pushedCalls += this.#select.made.calls.length
    figures.seriesRead += groups.keys.length
    this.#groupCount = groups.keys.length
  }

  #pieceOf(groups: WindowGroups, group: number): SelectPiece {
    const { plan, made } = this.#select
    const rows = made.interval === undefined ? this.#row(groups, group) : this.#rows(groups, group)
    const { count, times } = rows
    const shown =
      made.columnCalls === undefined
        ? computed(plan, rows)
        : made.columnCalls.map((call) => rows.columns[call])
    return { key: groups.keys[group], block: { count, times, columns: shown } }
  }

  #rows(groups: WindowGroups, group: number): Rows {
    const { grid, plan, times, made } = this.#select
    const columns = made.calls.map((call) => this.#column(groups, call, group))
    const all = { count: grid.count, times, columns }
    return plan.fill.kind === 'none' ? withoutGaps(all) : all
  }

  /** Of a group whose range is one window. */
  #row({ tables }: WindowGroups, group: number): Rows {
    const { times, made } = this.#select
    const columns = made.calls.map(({ type, join, first, second }) => {
      const builder = new ColumnBuilder(type, 1)
      if (tables[first].hasValue(group, 0)) {
        const other = second === undefined ? undefined : tables[second].value(group, 0)
        builder.push(combined(join, tables[first].value(group, 0), other))
      } else builder.pushNull()
      return builder.finish()
    })
    if (!made.keepsTime) return { count: 1, times, columns }
    return { count: 1, times: { base: tables[0].time(group, 0), offsets: firstOffset }, columns }
  }

  #column({ tables }: WindowGroups, call: WindowCall, group: number): Column {
    const { ascending, fill } = this.#select.plan
    const { join, type } = call
    const first = tables[call.first]
    const second = call.second === undefined ? undefined : tables[call.second]
    // A call that has nothing at all in a group has nothing to fill, but the rows of others have a fill.
    const count = first.count(group)
    const filling = count > 0 ? call.fill : fill
    return denseWindows({ join, type, first, second }, group, count, filling, ascending)!
  }

  close(): void {
    this.#taken = this.#groupCount
  }
}
