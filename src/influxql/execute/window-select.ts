// The SELECT that dashboards ask most: counts, sums, means, extremes and spreads of numbers by windows, from
// one measurement and a range with two ends. The store computes the windows of each series; here the series
// of a group are joined, and each group leaves as one block of columns. What does not depend on the literals of
// the query is found once (`WindowCalls`), so that asking again with another range costs little more than
// reading. Every other SELECT goes through the pipelines of its calls.

import type { Batch } from '../../column/batch.js'
import type { Column, FieldType } from '../../column/column.js'
import { floorDiv, type TimeColumn, timeMax, timeMin, timeOffsetMax } from '../../column/time.js'
import { type MaybePromise, PullStream, takeEach } from '../../platform/pull-stream.js'
import type { QueryMeter } from '../../query/limits.js'
import type { Aggregate, AggregateFunction, ReadRequest } from '../../store/store.js'
import { type StoreParts, storeParts } from '../functions/function-spec.js'
import { pushCondition } from '../plan/predicate.js'
import type { ResolvedMeasurement } from '../plan/resolve.js'
import type { SelectPlan } from '../plan/select-plan.js'
import type { Interval } from '../plan/validate.js'
import type { Fill } from '../syntax/ast.js'
import { chainOf } from './call-chain.js'
import { fillOf } from './call-pipeline.js'
import type { ExecuteContext } from './context.js'
import { wholeIfInteger } from './dense-windows.js'
import { evaluate, type MaybeColumn } from './evaluate.js'
import { GroupWindows, type WindowJoin } from './group-windows.js'
import { PreparedReads } from './prepared-reads.js'
import { aggregateAt, isPushable } from './pushed-calls.js'
import { compareGroups, type GroupKey, groupTags, type SelectPiece, tagsText } from './rows.js'
import { checkSeriesLimit } from './series-groups.js'
import { Turns } from './turns.js'

/** What a call is made of. `second`: means are a sum by a count, spreads the largest less the smallest. */
interface WindowCall {
  readonly join: StoreParts['join']
  readonly type: FieldType
  readonly first: number
  readonly second: number | undefined
  /** Of windows without points, in groups that have some. */
  readonly fill: Fill
}

/** First and last are joined by the times of their points, which these tables do not have. */
function isJoin(name: AggregateFunction): name is WindowJoin {
  return name === 'sum' || name === 'count' || name === 'min' || name === 'max'
}

/** Tables of more windows than this are built one after the other, by the pipelines. */
const windowsMax = 100_000

/** What is computed by windows, whatever the literals of the query are. */
export interface WindowCalls {
  readonly source: ResolvedMeasurement
  readonly interval: Interval
  readonly aggregates: readonly Aggregate[]
  readonly calls: readonly WindowCall[]
  /** Tags to group by, sorted. */
  readonly dimensions: readonly string[]
  /** Which call each column is; undefined: columns are computed from them. */
  readonly columnCalls: readonly number[] | undefined
  readonly reads: PreparedReads
}

/** Undefined: the plan is not of this kind. */
export function windowCallsOf(plan: SelectPlan): WindowCalls | undefined {
  const { sources, interval, limit, offset, slimit, soffset, expressions } = plan
  const [source] = sources
  if (plan.isRaw || sources.length !== 1 || source.kind !== 'measurement') return undefined
  if (interval === undefined || interval.ns === 0n || interval.months > 0) return undefined
  if (limit + offset + slimit + soffset > 0 || !isPlainFill(plan.fill)) return undefined
  // Companions of a chosen point are only in its row.
  if (plan.isSelector && plan.references.length > 0) return undefined
  const aggregates: Aggregate[] = []
  const calls: WindowCall[] = []
  for (const { call } of plan.calls) {
    const chain = chainOf(call, sources)
    if (chain === undefined || chain.steps.length > 1) return undefined
    const [{ spec, outputType: type }] = chain.steps
    const { parts, join } = storeParts(spec) ?? {}
    if (!parts?.every(isJoin) || type === 'string' || type === 'boolean') return undefined
    if (!isPushable(chain, source, plan.condition, interval, plan.zone)) return undefined
    const [first, second] = parts.map((part) => aggregateAt(aggregates, chain.field.name, part))
    calls.push({ join, type, first, second, fill: fillOf(chain.steps[0], plan) })
  }
  const isPlain = expressions.every(({ kind }) => kind === 'reference')
  const columnCalls = isPlain
    ? expressions.map((each) => (each.kind === 'reference' ? slotOf(each.name) : 0))
    : undefined
  const dimensions = plan.dimensions.toSorted()
  const reads = new PreparedReads()
  return { source, interval, aggregates, calls, dimensions, columnCalls, reads }
}

/** Those that look at nothing but the window itself. */
function isPlainFill(fill: Fill): boolean {
  if (fill.kind === 'number') return Math.abs(Number(fill.value)) <= Number.MAX_SAFE_INTEGER
  return fill.kind === 'null' || fill.kind === 'none'
}

interface Windows {
  readonly firstStart: bigint
  readonly count: number
  /** Their starts in the order of the query. */
  readonly times: TimeColumn
}

function layWindows(
  range: SelectPlan['range'],
  { ns, offsetNs }: Interval,
  ascending: boolean,
): Windows | undefined {
  const first = floorDiv(range.min - offsetNs, ns)
  const count = Number(floorDiv(range.max - offsetNs, ns) - first) + 1
  const every = Number(ns)
  if (count > windowsMax || every * count > timeOffsetMax) return undefined
  const offsets = new Float64Array(count)
  for (let i = 0; i < count; i++) offsets[i] = (ascending ? i : count - 1 - i) * every
  const firstStart = first * ns + offsetNs
  return { firstStart, count, times: { base: firstStart, offsets } }
}

/** Whether there are few enough windows: the range has two ends. */
export function hasWindows({ range }: SelectPlan): boolean {
  return range.min !== timeMin && range.max !== timeMax && range.min <= range.max
}

/** One run: the windows of its range, and what the store is asked for. */
export class WindowSelect {
  readonly plan: SelectPlan
  readonly made: WindowCalls
  readonly request: ReadRequest
  readonly windows: Windows
  readonly every: bigint
  /** For InfluxDB's limit, which does not count as windows are laid. */
  readonly bucketCount: number

  /** Undefined: there are too many windows. */
  static of(plan: SelectPlan, made: WindowCalls): WindowSelect | undefined {
    const windows = layWindows(plan.range, made.interval, plan.ascending)
    return windows && new WindowSelect(plan, made, windows)
  }

  private constructor(plan: SelectPlan, made: WindowCalls, windows: Windows) {
    const { range, condition } = plan
    const { source, interval, aggregates } = made
    this.plan = plan
    this.made = made
    this.windows = windows
    this.every = interval.ns
    this.bucketCount =
      plan.bounds.min === undefined ? 0 : Number((range.max - range.min) / interval.ns) + 1
    this.request = {
      bucket: source.bucket,
      measurement: source.name,
      range: { start: range.min, stop: range.max + 1n },
      predicate: pushCondition(condition, source).predicate,
      window: { everyNs: interval.ns, offsetNs: interval.offsetNs, aggregates, pointTimes: false },
    }
  }
}

/** `c3`: the fourth call. */
function slotOf(name: string): number {
  return Number(name.slice(1))
}

interface Group {
  readonly key: GroupKey
  /** Its place in the tables. */
  readonly at: number
}

const noWindows = new Int32Array(0)

class WindowGroups {
  readonly #select: WindowSelect
  readonly #meter: QueryMeter
  readonly #tables: readonly GroupWindows[]
  readonly #groups: Group[] = []
  /** By row of the batch under way. */
  #batchWindows = noWindows
  /** Made when there are tags to group by. */
  #byTags: Map<string, Group> | undefined
  /** Those of a series come one after the other. */
  #series = -1
  #group: Group | undefined
  seriesCount = 0

  constructor(select: WindowSelect, meter: QueryMeter) {
    this.#select = select
    this.#meter = meter
    this.#tables = select.made.aggregates.map(
      ({ function: join }) => new GroupWindows(join as WindowJoin, select.windows.count),
    )
  }

  /** False: there are integers that a float64 does not tell. */
  add(batch: Batch): boolean {
    const windows = this.#findWindows(batch)
    for (const run of batch.runs) {
      if (this.#group === undefined || this.#series !== run.keyId) {
        this.#series = run.keyId
        this.#group = this.#groupOf(run)
        this.seriesCount++
      }
      const group = this.#group
      for (let a = 0; a < this.#tables.length; a++) {
        const column = batch.columns[a]
        if (!this.#tables[a].add(group.at, windows, column, run.start, run.stop)) return false
      }
    }
    return true
  }

  /**
   * By row, until the next batch. The window of the base, and how far into it, are taken once: what follows is exact in
   * floats.
   */
  #findWindows({ rowCount, times: { base, offsets } }: Batch): Int32Array {
    if (this.#batchWindows.length < rowCount) this.#batchWindows = new Int32Array(rowCount)
    const { firstStart } = this.#select.windows
    const every = Number(this.#select.every)
    const baseWindow = floorDiv(base - firstStart, this.#select.every)
    const into = Number(base - firstStart - baseWindow * this.#select.every)
    const first = Number(baseWindow)
    const windows = this.#batchWindows
    for (let row = 0; row < rowCount; row++) {
      windows[row] = first + Math.floor((offsets[row] + into) / every)
    }
    return windows
  }

  #groupOf(run: Batch['runs'][number]): Group {
    const { dimensions } = this.#select.made
    // To spell out a series takes longer than to read a few of its points.
    if (dimensions.length === 0) return this.#groups[0] ?? this.#newGroup([])
    const tags = groupTags(dimensions, run.key.tags)
    const text = tagsText(tags)
    this.#byTags ??= new Map()
    let group = this.#byTags.get(text)
    if (group === undefined) {
      group = this.#newGroup(tags)
      this.#byTags.set(text, group)
    }
    return group
  }

  #newGroup(tags: GroupKey['tags']): Group {
    const group = { key: { name: this.#select.made.source.name, tags }, at: this.#groups.length }
    this.#groups.push(group)
    const bytes = this.#groups.length * this.#select.windows.count * this.#tables.length * 9
    this.#meter.checkMemory(bytes)
    return group
  }

  inOrder(): readonly Group[] {
    const groups = this.#groups.sort((a, b) => compareGroups(a.key, b.key))
    return this.#select.plan.ascending ? groups : groups.reverse()
  }

  piece({ key, at }: Group): SelectPiece {
    const { windows, plan } = this.#select
    const { calls, columnCalls } = this.#select.made
    const columns = calls.map((call) => this.#column(call, at))
    const all = { count: windows.count, times: windows.times, columns }
    const rows = plan.fill.kind === 'none' ? withoutGaps(all) : all
    const { count, times } = rows
    const shown =
      columnCalls === undefined
        ? computed(plan, rows)
        : columnCalls.map((call) => rows.columns[call])
    return { key, block: { count, times, columns: shown } }
  }

  #column({ join, type, first, second, fill }: WindowCall, group: number): Column {
    const { ascending, fill: otherwise } = this.#select.plan
    const marks = this.#tables[first].marks(group)
    let values = this.#tables[first].values(group)
    if (second !== undefined) values = joined(join, values, this.#tables[second].values(group))
    const marked = countOnes(marks)
    const isWhole = marked === marks.length
    // A call that has nothing at all in a group has nothing to fill, but the rows of others have a fill.
    const filling = marked > 0 ? fill : otherwise
    if (!isWhole && filling.kind === 'number')
      fillGaps(values, marks, wholeIfInteger(filling.value, type))
    const isFull = isWhole || filling.kind === 'number'
    if (!ascending) values = values.toReversed()
    const validity = isFull ? undefined : ascending ? marks : marks.toReversed()
    return { type, values, validity } as Column
  }
}

function countOnes(marks: Uint8Array): number {
  let count = 0
  for (let i = 0; i < marks.length; i++) count += marks[i]
  return count
}

function computed({ expressions }: SelectPlan, { columns, count }: Rows): MaybeColumn[] {
  const scope = { column: (name: string) => columns[slotOf(name)], rowCount: count }
  return expressions.map((expression) => evaluate(expression, scope))
}

function joined(join: WindowCall['join'], a: Float64Array, b: Float64Array): Float64Array {
  const values = new Float64Array(a.length)
  const isMean = join === 'quotient'
  for (let i = 0; i < a.length; i++)
    values[i] = isMean ? (b[i] === 0 ? 0 : a[i] / b[i]) : a[i] - b[i]
  return values
}

function fillGaps(values: Float64Array, marks: Uint8Array, filling: number): void {
  for (let i = 0; i < values.length; i++) if (marks[i] === 0) values[i] = filling
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
  const kept: number[] = []
  for (let i = 0; i < rows.count; i++) {
    if (columns.some(({ validity }) => validity![i] === 1)) kept.push(i)
  }
  if (kept.length === rows.count) return rows
  const offsets = Float64Array.from(kept, (row) => times.offsets[row])
  return {
    count: kept.length,
    times: { base: times.base, offsets },
    columns: columns.map(({ type, values, validity }) => {
      const picked = Float64Array.from(kept, (row) => values[row] as number)
      return {
        type,
        values: picked,
        validity: Uint8Array.from(kept, (row) => validity![row]),
      } as Column
    }),
  }
}

/**
 * The pieces of the answer, one for each group. `otherwise` computes them where there are integers that a float64 does
 * not tell.
 */
export class WindowPieces extends PullStream<SelectPiece> {
  readonly #select: WindowSelect
  readonly #context: ExecuteContext
  readonly #turns: Turns
  readonly #otherwise: () => PullStream<SelectPiece>
  #instead: PullStream<SelectPiece> | undefined
  #groups: WindowGroups | undefined
  #order: readonly Group[] = []
  #next = 0

  constructor(
    select: WindowSelect,
    context: ExecuteContext,
    otherwise: () => PullStream<SelectPiece>,
  ) {
    super()
    this.#select = select
    this.#context = context
    this.#turns = new Turns(context.signal)
    this.#otherwise = otherwise
  }

  take(): MaybePromise<SelectPiece | undefined> {
    if (this.#groups === undefined) {
      this.#groups = new WindowGroups(this.#select, this.#context.meter)
      const read = this.#read(this.#groups)
      if (read instanceof Promise) return this.#afterwards(read, this.#groups)
    }
    return this.#piece(this.#groups)
  }

  async #afterwards(
    read: Promise<unknown>,
    groups: WindowGroups,
  ): Promise<SelectPiece | undefined> {
    await read
    return this.#piece(groups)
  }

  #piece(groups: WindowGroups): MaybePromise<SelectPiece | undefined> {
    if (this.#instead !== undefined) return this.#instead.take()
    if (this.#next === this.#order.length) return undefined
    const piece = groups.piece(this.#order[this.#next++])
    return this.#turns.isDue(piece.block.count) ? this.#turns.pass().then(() => piece) : piece
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
    const read = takeEach(batches, (batch) => this.#add(groups, batch))
    if (read instanceof Promise) return read.then((isWhole) => this.#finish(groups, isWhole))
    this.#finish(groups, read)
  }

  /** False: what was read is of no use. */
  #add(groups: WindowGroups, batch: Batch): boolean {
    const { meter, figures } = this.#context
    meter.addPoints(batch.rowCount)
    figures.rowsRead += batch.rowCount
    if (groups.add(batch)) return true
    this.#instead = this.#otherwise()
    return false
  }

  #finish(groups: WindowGroups, isWhole: boolean): void {
    if (!isWhole) return
    const { figures } = this.#context
    figures.pushedCalls += this.#select.made.calls.length
    figures.seriesRead += groups.seriesCount
    this.#order = groups.inOrder()
  }

  async close(): Promise<void> {
    this.#order = []
    this.#next = 0
    await this.#instead?.close()
  }
}
