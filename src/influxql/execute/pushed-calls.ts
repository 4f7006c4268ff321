// Calls that the store can answer: count, sum, mean, min, max, first, last and spread of a field, by
// windows and groups. Here they are laid beside each other, and filled. Memory follows the number of groups and
// windows, not of points.

import type { Predicate } from '../../column/predicate.js'
import {
  allTime,
  floorDiv,
  type TimeColumn,
  type TimeRange,
  timeMax,
  timeMin,
} from '../../column/time.js'
import { AggregateList } from '../../query/aggregate-list.js'
import { WindowGrid } from '../../query/window-grid.js'
import type { ReadRequest } from '../../store/store.js'
import { storeParts } from '../functions/function-spec.js'
import { type Points, PointsBuilder } from '../functions/points.js'
import { pushCondition } from '../plan/predicate.js'
import type { ResolvedMeasurement } from '../plan/resolved.js'
import type { Interval } from '../plan/validate.js'
import type { Expression, Fill } from '../syntax/ast.js'
import type { CallChain } from './call-chain.js'
import type { ExecuteContext } from './context.js'
import { combined, type DenseCall, denseWindows } from './dense-windows.js'
import type { GroupKey } from './rows.js'
import { checkSeriesLimit, limitedGroups } from './series-groups.js'
import { stampOf } from './stamps.js'
import { WindowGroups } from './window-groups.js'
import type { WindowTable } from './window-table.js'

export interface PushedRequest {
  readonly source: ResolvedMeasurement
  readonly chains: readonly CallChain[]
  /** By chain: what becomes of windows without points. */
  readonly fills: readonly Fill[]
  readonly condition?: Expression | undefined
  /** Both ends belong to it. */
  readonly range: { readonly min: bigint; readonly max: bigint }
  readonly interval: Interval | undefined
  readonly dimensions: readonly string[]
  readonly ascending: boolean
  /** Chosen points keep their own time: there are no windows, and the call is the only one. */
  readonly keepsTime: boolean
  readonly slimit: number
  readonly soffset: number
  /** No more windows of a group are of use, counted in the order of the query. 0: all are. */
  readonly windowsMax: number
  /** Windows without points count as well: they are filled. */
  readonly isFilled: boolean
}

export interface PushedGroup {
  readonly key: GroupKey
  /** By chain: what its first step gives, in the order of the query, and whether it is filled already. */
  readonly reduced: readonly ReducedPoints[]
}

export interface ReducedPoints {
  readonly points: readonly Points[]
  readonly isFilled: boolean
}

export function isPushable(
  chain: CallChain,
  source: ResolvedMeasurement,
  interval: Interval | undefined,
  zone: string | undefined,
): boolean {
  const parts = storeParts(chain.steps[0].spec)?.parts
  if (parts === undefined) return false
  const own = source.fields.get(chain.field.name)
  if (own !== undefined && own !== chain.field.type) return false
  // Booleans have an order here, but not in the store.
  if (own === 'boolean' && (parts.includes('min') || parts.includes('max'))) return false
  // The store knows neither months nor zones.
  return interval === undefined || (interval.months === 0 && zone === undefined)
}

/** Whether the store can choose all rows itself. Asked once for all calls: both may be thousands. */
export function isConditionPushable(
  condition: Expression | undefined,
  source: ResolvedMeasurement,
): boolean {
  return pushCondition(condition, source).residual === undefined
}

/** For more windows than this, rows are read and windows built one after the other. */
const windowsInMemoryMax = 1_000_000

export class PushedReader {
  readonly #request: PushedRequest
  readonly #context: ExecuteContext
  readonly #predicate: Predicate | undefined
  readonly #aggregates = new AggregateList()
  /** For each chain, where its parts stand in `#aggregates`. */
  readonly #partsAt: number[][] = []
  /** Without GROUP BY time() the range is one window. */
  #grid = new WindowGrid(allTime, 0n, 0n)
  /** The starts of all windows that are to be filled, in the order of the query; undefined: not known beforehand. */
  #times: TimeColumn | undefined

  constructor(request: PushedRequest, context: ExecuteContext) {
    this.#request = request
    this.#context = context
    this.#predicate = pushCondition(request.condition, request.source).predicate
    for (const { field, steps } of request.chains) {
      const { parts = [] } = storeParts(steps[0].spec) ?? {}
      // A field that the measurement does not have gives nothing.
      const asked = request.source.fields.has(field.name) ? parts : []
      this.#partsAt.push(asked.map((part) => this.#aggregates.placeOf(field.name, part)))
    }
    context.figures.pushedCalls += request.chains.length
  }

  /** What to read: cut to where there are points when the query does not say. */
  async range(): Promise<TimeRange | undefined> {
    const { min, max } = this.#request.range
    if (min > max || this.#aggregates.all.length === 0) return undefined
    let range: TimeRange = { start: min, stop: max + 1n }
    const isOpen = min === timeMin || max === timeMax
    if (isOpen && this.#request.interval !== undefined) {
      const { bucket, name } = this.#request.source
      const { store, signal } = this.#context
      const extent = await store.extent({ bucket, measurement: name, range }, signal)
      if (extent.range === undefined) return undefined
      range = extent.range
    }
    const { interval } = this.#request
    if (interval === undefined) return range
    this.#grid = new WindowGrid(range, interval.ns, interval.offsetNs)
    if (!isOpen && !this.hasTooManyWindows) this.#times = this.#grid.times(this.#request.ascending)
    return range
  }

  /** Known after `range`. */
  get hasTooManyWindows(): boolean {
    return this.#grid.count > windowsInMemoryMax
  }

  /** Reads everything, and then gives out the groups in the order of the query. */
  async groups(range: TimeRange): Promise<Iterator<PushedGroup>> {
    await checkSeriesLimit(this.#context, this.#request.source, this.#predicate)
    const { source, dimensions, keepsTime } = this.#request
    const groups = new WindowGroups({
      grid: this.#grid,
      aggregateCount: this.#aggregates.all.length,
      name: source.name,
      dimensions,
      keepsTimes: keepsTime,
      meter: this.#context.meter,
    })
    for (const part of this.#parts(range)) {
      await this.#readPart(part, groups)
      if (this.#hasEnough(groups)) break
    }
    this.#context.figures.seriesRead += groups.keys.length
    return this.#finished(groups, await this.#inOrder(groups))
  }

  *#finished(groups: WindowGroups, order: readonly number[]): Generator<PushedGroup, void, void> {
    for (const group of order) {
      const reduced = this.#request.chains.map((chain, c) => this.#reduced(chain, c, groups, group))
      yield { key: groups.keys[group], reduced }
    }
  }

  /**
   * Where a few windows are enough and there is one group, the range is read in parts, from where the query
   * starts, each wider than the one before.
   */
  *#parts(range: TimeRange): Generator<TimeRange, void, void> {
    const { windowsMax: wanted, dimensions, ascending } = this.#request
    const { everyNs, firstStart } = this.#grid
    if (wanted === 0 || everyNs === 0n || dimensions.length > 0) return void (yield range)
    let width = BigInt(wanted) * everyNs
    for (let left = range; left.start < left.stop; width *= 8n) {
      const { part, rest } = cutRange(left, width, firstStart, everyNs, ascending)
      yield part
      left = rest
    }
  }

  #hasEnough({ keys, tables }: WindowGroups): boolean {
    const { windowsMax: wanted, dimensions, isFilled } = this.#request
    if (wanted === 0 || dimensions.length > 0 || keys.length === 0) return false
    return tables.every((table) => table.count(0) >= (isFilled ? 1 : wanted))
  }

  async #readPart(range: TimeRange, groups: WindowGroups): Promise<void> {
    const { store, signal, figures, meter } = this.#context
    figures.reads++
    for await (const batch of store.read(this.#readRequest(range), signal)) {
      meter.addPoints(batch.rowCount)
      figures.rowsRead += batch.rowCount
      groups.add(batch)
    }
  }

  #readRequest(range: TimeRange): ReadRequest {
    const { source, interval, dimensions, keepsTime } = this.#request
    return {
      bucket: source.bucket,
      measurement: source.name,
      range,
      predicate: this.#predicate,
      memoryBytesMax: this.#context.meter.limits.memoryBytesMax,
      window: {
        everyNs: interval?.ns,
        offsetNs: interval?.offsetNs,
        aggregates: this.#aggregates.all,
        groupBy: dimensions,
        pointTimes: keepsTime,
      },
    }
  }

  async #inOrder(groups: WindowGroups): Promise<readonly number[]> {
    const { slimit, soffset, ascending, source } = this.#request
    if (slimit === 0 && soffset === 0) return groups.inOrder(ascending)
    return groups.among(await limitedGroups(this.#context, source, this.#predicate, this.#request))
  }

  #reduced(chain: CallChain, c: number, { tables }: WindowGroups, group: number): ReducedPoints {
    const [first, second] = this.#partsAt[c].map((at) => tables[at])
    const filled = first?.count(group) ?? 0
    if (filled === 0) return { points: [], isFilled: false }
    const [{ spec, outputType: type }] = chain.steps
    const call = { join: storeParts(spec)?.join, type, first, second }
    const fill = this.#request.fills[c]
    const isPlainFill = fill.kind === 'null' || fill.kind === 'number'
    if (this.#times !== undefined && isPlainFill) {
      const values = denseWindows(call, group, filled, fill, this.#request.ascending)
      const { count } = this.#grid
      if (values !== undefined) {
        return { points: [{ count, times: this.#times, values, companions: [] }], isFilled: true }
      }
    }
    return { points: this.#pointsOf(call, group, filled), isFilled: false }
  }

  #pointsOf({ join, type, first, second }: DenseCall, group: number, count: number): Points[] {
    const out = new PointsBuilder(type, [], count)
    const windowCount = this.#grid.count
    for (let i = 0; i < windowCount; i++) {
      const window = this.#request.ascending ? i : windowCount - 1 - i
      if (!first.hasValue(group, window)) continue
      const value = combined(join, first.value(group, window), second?.value(group, window))
      out.push(value, this.#timeOf(first, group, window))
    }
    return out.take()
  }

  #timeOf(table: WindowTable, group: number, window: number): bigint {
    if (this.#request.keepsTime) return table.time(group, window)
    if (this.#request.interval === undefined) return stampOf(this.#request.range.min)
    return this.#grid.start(window)
  }
}

/** A part of about that width at the end where the query starts, cut between two windows, and what is left. */
function cutRange(
  range: TimeRange,
  width: bigint,
  firstStart: bigint,
  every: bigint,
  ascending: boolean,
): { part: TimeRange; rest: TimeRange } {
  const wanted = ascending ? range.start + width : range.stop - width
  const cut = firstStart + floorDiv(wanted - firstStart, every) * every
  if (cut <= range.start || cut >= range.stop) {
    return { part: range, rest: { start: range.stop, stop: range.stop } }
  }
  const early = { start: range.start, stop: cut }
  const late = { start: cut, stop: range.stop }
  return ascending ? { part: early, rest: late } : { part: late, rest: early }
}
