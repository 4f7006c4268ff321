// Calls that the store can answer: count, sum, mean, min, max, first, last and spread of a field, by
// windows. The store aggregates each series; here the series of a group are brought together. Memory
// follows the number of groups and windows, not of points.

import type { Batch } from '../../column/batch.js'
import type { Value } from '../../column/column.js'
import type { Predicate } from '../../column/predicate.js'
import {
  floorDiv,
  type TimeColumn,
  type TimeRange,
  timeAt,
  timeMax,
  timeMin,
  timeOffsetMax,
} from '../../column/time.js'
import type { Aggregate, AggregateFunction, ReadRequest } from '../../store/store.js'
import { type StoreParts, storeParts } from '../functions/function-spec.js'
import { type Points, PointsBuilder } from '../functions/points.js'
import { pushCondition } from '../plan/predicate.js'
import type { ResolvedMeasurement } from '../plan/resolve.js'
import type { Interval } from '../plan/validate.js'
import type { Expression, Fill } from '../syntax/ast.js'
import type { CallChain } from './call-chain.js'
import type { ExecuteContext } from './context.js'
import { denseWindows } from './dense-windows.js'
import { compareGroups, type GroupKey, groupTags, tagsText } from './rows.js'
import { checkSeriesLimit, limitedGroups } from './series-groups.js'
import { stampOf } from './stamps.js'
import { AggregateWindows } from './window-table.js'

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
  condition: Expression | undefined,
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
  if (interval !== undefined && (interval.months > 0 || zone !== undefined)) return false
  return pushCondition(condition, source).residual === undefined
}

/** For more windows than this, rows are read and windows built one after the other. */
const windowsKeptMax = 1_000_000

interface GroupState {
  readonly key: GroupKey
  readonly aggregates: readonly AggregateWindows[]
}

/** Where it stands in the list, to which it is added if it is not there. */
export function aggregateAt(
  aggregates: Aggregate[],
  field: string,
  name: AggregateFunction,
): number {
  const at = aggregates.findIndex((each) => each.field === field && each.function === name)
  return at >= 0 ? at : aggregates.push({ field, function: name }) - 1
}

export class PushedReader {
  readonly #request: PushedRequest
  readonly #context: ExecuteContext
  readonly #predicate: Predicate | undefined
  readonly #aggregates: Aggregate[] = []
  /** For each chain, where its parts stand in `#aggregates`. */
  readonly #partsAt: number[][] = []
  readonly #needsTimes: boolean
  #every = 0n
  #firstStart = 0n
  #windowCount = 1
  /** Of the rows of a run, used again and again. */
  #windows = new Int32Array(64)
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
      this.#partsAt.push(asked.map((part) => aggregateAt(this.#aggregates, field.name, part)))
    }
    const byTime = this.#aggregates.some((each) => isFirstOrLast(each.function))
    this.#needsTimes = byTime || request.keepsTime
    context.figures.pushedCalls += request.chains.length
  }

  /** What to read: cut to where there are points when the query does not say. */
  async range(): Promise<TimeRange | undefined> {
    const { min, max } = this.#request.range
    if (min > max || this.#aggregates.length === 0) return undefined
    let range: TimeRange = { start: min, stop: max + 1n }
    const isOpen = min === timeMin || max === timeMax
    if (isOpen && this.#request.interval !== undefined) {
      const { bucket, name } = this.#request.source
      const { store, signal } = this.#context
      const extent = await store.extent({ bucket, measurement: name, range }, signal)
      if (extent.range === undefined) return undefined
      range = extent.range
    }
    this.#layWindows(range)
    if (!isOpen && this.#request.interval !== undefined) this.#times = this.#windowTimes()
    return range
  }

  #windowTimes(): TimeColumn | undefined {
    const count = this.#windowCount
    const every = Number(this.#every)
    if (count > windowsKeptMax || every * count > timeOffsetMax) return undefined
    const offsets = new Float64Array(count)
    for (let i = 0; i < count; i++) {
      offsets[i] = (this.#request.ascending ? i : count - 1 - i) * every
    }
    return { base: this.#firstStart, offsets }
  }

  #layWindows(range: TimeRange): void {
    const { interval } = this.#request
    if (interval === undefined) return
    this.#every = interval.ns
    const first = floorDiv(range.start - interval.offsetNs, interval.ns)
    const last = floorDiv(range.stop - 1n - interval.offsetNs, interval.ns)
    this.#firstStart = first * interval.ns + interval.offsetNs
    this.#windowCount = Number(last - first) + 1
  }

  /** Known after `range`. */
  get hasTooManyWindows(): boolean {
    return this.#windowCount > windowsKeptMax
  }

  /** Reads everything, and then gives out the groups in the order of the query. */
  async groups(range: TimeRange): Promise<Iterator<PushedGroup>> {
    await checkSeriesLimit(this.#context, this.#request.source, this.#predicate)
    const groups = new Map<string, GroupState>()
    let seriesRead = 0
    for (const part of this.#parts(range)) {
      seriesRead = Math.max(seriesRead, await this.#readPart(part, groups))
      if (this.#hasEnough(groups)) break
    }
    this.#context.figures.seriesRead += seriesRead
    return this.#finished(await this.#inOrder(groups))
  }

  *#finished(groups: readonly GroupState[]): Generator<PushedGroup, void, void> {
    for (const group of groups) yield this.#finish(group)
  }

  /**
   * Where a few windows are enough and there is one group, the range is read in parts, from where the query
   * starts, each wider than the one before.
   */
  *#parts(range: TimeRange): Generator<TimeRange, void, void> {
    const { windowsMax: wanted, dimensions, ascending } = this.#request
    if (wanted === 0 || this.#every === 0n || dimensions.length > 0) return void (yield range)
    let width = BigInt(wanted) * this.#every
    for (let left = range; left.start < left.stop; width *= 8n) {
      const { part, rest } = cutRange(left, width, this.#firstStart, this.#every, ascending)
      yield part
      left = rest
    }
  }

  #hasEnough(groups: Map<string, GroupState>): boolean {
    const { windowsMax: wanted, dimensions, isFilled } = this.#request
    const [group] = groups.values()
    if (wanted === 0 || dimensions.length > 0 || group === undefined) return false
    return group.aggregates.every(({ count }) => count >= (isFilled ? 1 : wanted))
  }

  /** Returns how many series there were. */
  async #readPart(range: TimeRange, groups: Map<string, GroupState>): Promise<number> {
    const bySeries = new Map<number, GroupState>()
    const { store, signal, figures, meter } = this.#context
    figures.reads++
    for await (const batch of store.read(this.#readRequest(range), signal)) {
      meter.addPoints(batch.rowCount)
      figures.rowsRead += batch.rowCount
      for (const run of batch.runs) {
        let group = bySeries.get(run.keyId)
        if (group === undefined) {
          group = this.#groupOf(run, groups)
          bySeries.set(run.keyId, group)
        }
        this.#addRun(group, batch, run.start, run.stop)
      }
    }
    return bySeries.size
  }

  #readRequest(range: TimeRange): ReadRequest {
    const { source, interval } = this.#request
    return {
      bucket: source.bucket,
      measurement: source.name,
      range,
      predicate: this.#predicate,
      window: {
        everyNs: interval?.ns,
        offsetNs: interval?.offsetNs,
        aggregates: this.#aggregates,
        pointTimes: this.#needsTimes,
      },
    }
  }

  #groupOf(run: Batch['runs'][number], groups: Map<string, GroupState>): GroupState {
    const { source, dimensions } = this.#request
    // To spell out a series takes longer than to read a few of its points.
    const tags = dimensions.length === 0 ? [] : groupTags(dimensions, run.key.tags)
    const key = { name: source.name, tags }
    const text = tagsText(key.tags)
    let group = groups.get(text)
    if (group === undefined) {
      this.#checkMemory(groups.size + 1)
      group = {
        key,
        aggregates: this.#aggregates.map(
          (each) => new AggregateWindows(each.function, this.#windowCount, this.#needsTimes),
        ),
      }
      groups.set(text, group)
    }
    return group
  }

  #checkMemory(groupCount: number): void {
    const perWindow = this.#needsTimes ? 17 : 9
    const bytes = groupCount * this.#windowCount * this.#aggregates.length * perWindow
    this.#context.meter.checkMemory(bytes)
  }

  #addRun(group: GroupState, batch: Batch, start: number, stop: number): void {
    const { base, offsets } = batch.times
    const every = Number(this.#every)
    // The window of the base, and how far into it: what follows is exact in floats.
    const baseWindow = every === 0 ? 0n : floorDiv(base - this.#firstStart, this.#every)
    const into = every === 0 ? 0 : Number(base - this.#firstStart - baseWindow * this.#every)
    const windows = this.#windowsOf(offsets, start, stop, Number(baseWindow), into, every)
    for (let a = 0; a < this.#aggregates.length; a++) {
      const column = batch.columns[a]
      const times = batch.pointTimes?.[a]
      const aggregate = group.aggregates[a]
      if (!this.#needsTimes) aggregate.addRows(windows, column, start, stop)
      else {
        for (let row = start; row < stop; row++) {
          const time = times === undefined ? 0n : timeAt(times, row)
          aggregate.add(windows[row - start], column, row, time)
        }
      }
    }
  }

  /** By row: its window. Valid until the next call. */
  #windowsOf(
    offsets: Float64Array,
    start: number,
    stop: number,
    first: number,
    into: number,
    every: number,
  ): Int32Array {
    if (this.#windows.length < stop - start) this.#windows = new Int32Array(2 * (stop - start))
    const windows = this.#windows
    if (every === 0) return windows.fill(0, 0, stop - start)
    for (let row = start; row < stop; row++) {
      windows[row - start] = first + Math.floor((offsets[row] + into) / every)
    }
    return windows
  }

  async #inOrder(groups: Map<string, GroupState>): Promise<GroupState[]> {
    const { slimit, soffset, ascending, source } = this.#request
    if (slimit > 0 || soffset > 0) {
      const limited = await limitedGroups(this.#context, source, this.#predicate, this.#request)
      return limited.flatMap(({ tags }) => groups.get(tagsText(tags)) ?? [])
    }
    const sorted = [...groups.values()].sort((a, b) => compareGroups(a.key, b.key))
    return ascending ? sorted : sorted.reverse()
  }

  #finish(group: GroupState): PushedGroup {
    return {
      key: group.key,
      reduced: this.#request.chains.map((chain, c) => this.#reduced(chain, c, group)),
    }
  }

  #reduced(chain: CallChain, c: number, group: GroupState): ReducedPoints {
    const [first, second] = this.#partsAt[c].map((at) => group.aggregates[at])
    if (first === undefined || first.count === 0) return { points: [], isFilled: false }
    const fill = this.#request.fills[c]
    const dense =
      this.#times === undefined
        ? undefined
        : denseWindows(chain, first, second, fill, this.#request)
    if (this.#times === undefined || dense === undefined) {
      return { points: this.#pointsOf(chain, first, second), isFilled: false }
    }
    const points = { count: this.#windowCount, times: this.#times, values: dense, companions: [] }
    return { points: [points], isFilled: true }
  }

  #pointsOf(
    chain: CallChain,
    first: AggregateWindows,
    second: AggregateWindows | undefined,
  ): Points[] {
    const { outputType, spec } = chain.steps[0]
    const join = storeParts(spec)?.join
    const out = new PointsBuilder(outputType)
    for (let i = 0; i < this.#windowCount; i++) {
      const window = this.#request.ascending ? i : this.#windowCount - 1 - i
      if (!first.has(window)) continue
      const value = combined(join, first.value(window), second?.value(window))
      out.push(value, this.#timeOf(first, window))
    }
    return out.take()
  }

  #timeOf(aggregate: AggregateWindows, window: number): bigint {
    if (this.#request.keepsTime) return aggregate.time(window)
    if (this.#every === 0n) return stampOf(this.#request.range.min)
    return this.#firstStart + BigInt(window) * this.#every
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

function isFirstOrLast(name: AggregateFunction): boolean {
  return name === 'first' || name === 'last'
}

function combined(join: StoreParts['join'], first: Value, second: Value | undefined): Value {
  if (join === undefined) return first
  if (join === 'quotient') return Number(first) / Number(second)
  if (typeof first === 'bigint' || typeof second === 'bigint') {
    return BigInt(first as bigint) - BigInt(second as bigint)
  }
  return (first as number) - (second as number)
}
