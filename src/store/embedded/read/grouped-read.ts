// Window aggregates of groups of series. The windows of each series come from the read below, wherever its threads
// run, series in key order; here they are joined by group and window, in that order, so that sums of floats are the
// same however a read was shared. Memory follows the number of groups and windows.

import type { Batch, Run } from '../../../column/batch.js'
import type { Value } from '../../../column/column.js'
import { floorDiv, type TimeRange, timeOffsetMax } from '../../../column/time.js'
import { UserError } from '../../../errors.js'
import { type MaybePromise, PullStream, takeEach } from '../../../platform/pull-stream.js'
import { checkAggregate, resultType } from '../../aggregate-types.js'
import type { Aggregate, AggregateFunction, WindowAggregate } from '../../store.js'
import type { Measurement } from '../index/series-index.js'
import { GroupColumn } from './group-column.js'
import { SeriesGroups } from './series-groups.js'
import { type WindowColumnSpec, WindowRows } from './window-rows.js'

/** What groups are made from. */
export interface Grouping {
  readonly measurement: Measurement
  readonly tags: readonly string[]
  /** What is read of each series. */
  readonly series: WindowAggregate
  /** By aggregate asked for: where its parts stand among those of the series. A mean is a sum by a count. */
  readonly parts: readonly (readonly number[])[]
  readonly specs: readonly WindowColumnSpec[]
  readonly descending: boolean
  readonly limitPerSeries: number
}

export function planGrouping(
  measurement: Measurement,
  window: WindowAggregate,
  order: Pick<Grouping, 'descending' | 'limitPerSeries'>,
): Grouping {
  const aggregates: Aggregate[] = []
  const parts: number[][] = []
  const specs: WindowColumnSpec[] = []
  for (const { field, function: fn } of window.aggregates) {
    const known = measurement.fieldsByName.get(field)
    if (known === undefined) continue
    checkAggregate(fn, field, known.type)
    parts.push(partsOf(fn).map((part) => placeOf(aggregates, field, part)))
    const hasPoints = window.pointTimes === true && isChosen(fn)
    specs.push({ name: field, type: resultType(fn, known.type), hasPoints })
  }
  const isByTime = aggregates.some((each) => each.function === 'first' || each.function === 'last')
  const { everyNs, offsetNs } = window
  const pointTimes = window.pointTimes === true || isByTime
  return {
    measurement,
    tags: window.groupBy ?? [],
    series: { everyNs, offsetNs, aggregates, pointTimes },
    parts,
    specs,
    ...order,
  }
}

function partsOf(fn: AggregateFunction): AggregateFunction[] {
  return fn === 'mean' ? ['sum', 'count'] : [fn]
}

function isChosen(fn: AggregateFunction): boolean {
  return fn === 'min' || fn === 'max' || fn === 'first' || fn === 'last'
}

function placeOf(aggregates: Aggregate[], field: string, fn: AggregateFunction): number {
  const at = aggregates.findIndex((each) => each.field === field && each.function === fn)
  return at >= 0 ? at : aggregates.push({ field, function: fn }) - 1
}

/** Ranges of up to so many windows have a slot for each in every group; others for those that there are. */
const denseWindowsMax = 10_000

/** Windows and groups that are held at a time, at most: with one aggregate about a gigabyte. */
const slotsMax = 1 << 26

/** Which slot a window of a group has. */
class WindowSlots {
  readonly #everyNs: bigint
  /** Where window 0 begins. */
  readonly #origin: bigint
  readonly #start: bigint
  /** 0: windows get slots as they are met. */
  readonly #dense: number
  readonly #met: Map<number | bigint, number>[] = []
  #metCount = 0
  #slots = new Int32Array(256)

  constructor({ everyNs, offsetNs = 0n }: WindowAggregate, { start, stop }: TimeRange) {
    this.#start = start
    if (everyNs === undefined) {
      this.#everyNs = 0n
      this.#origin = start
      this.#dense = 1
      return
    }
    this.#everyNs = everyNs
    const first = floorDiv(start - offsetNs, everyNs)
    this.#origin = first * everyNs + offsetNs
    const count = Number(floorDiv(stop - 1n - offsetNs, everyNs) - first) + 1
    const isExact = count * Number(everyNs) < timeOffsetMax
    this.#dense = count <= denseWindowsMax && isExact ? count : 0
  }

  /** So many slots are in use, with groups up to this number. */
  count(groupCount: number): number {
    return this.#dense > 0 ? groupCount * this.#dense : this.#metCount
  }

  /** By row of the run: its slot. Valid until the next call. */
  find({ times: { base, offsets } }: Batch, { start, stop }: Run, group: number): Int32Array {
    if (this.#slots.length < stop) this.#slots = new Int32Array(2 * stop)
    const slots = this.#slots
    if (this.#everyNs === 0n) return slots.fill(group, start, stop)
    // The window of the base, and how far into it: what follows is exact in floats.
    const baseWindow = floorDiv(base - this.#origin, this.#everyNs)
    const into = Number(base - this.#origin - baseWindow * this.#everyNs)
    const every = Number(this.#everyNs)
    if (this.#dense > 0) {
      const first = group * this.#dense + Number(baseWindow)
      for (let row = start; row < stop; row++) {
        slots[row] = first + Math.floor((offsets[row] + into) / every)
      }
      return slots
    }
    this.#met[group] ??= new Map()
    for (let row = start; row < stop; row++) {
      slots[row] = this.#slotOf(group, baseWindow, Math.floor((offsets[row] + into) / every))
    }
    return slots
  }

  #slotOf(group: number, baseWindow: bigint, after: number): number {
    const near = Number(baseWindow) + after
    const window = Number.isSafeInteger(near) ? near : baseWindow + BigInt(after)
    const met = this.#met[group]
    let slot = met.get(window)
    if (slot === undefined) {
      slot = this.#metCount++
      met.set(window, slot)
    }
    return slot
  }

  /** The slots of a group with the times of their rows, oldest first. */
  *inOrder(group: number): Generator<{ slot: number; time: bigint }, void, void> {
    if (this.#dense > 0) {
      for (let w = 0; w < this.#dense; w++) {
        yield { slot: group * this.#dense + w, time: this.#timeOf(BigInt(w)) }
      }
      return
    }
    const met = [...this.#met[group]].sort(([a], [b]) => (a < b ? -1 : 1))
    for (const [window, slot] of met) yield { slot, time: this.#timeOf(BigInt(window)) }
  }

  /** The first window may begin before the range does. */
  #timeOf(window: bigint): bigint {
    const time = this.#origin + window * this.#everyNs
    return time < this.#start ? this.#start : time
  }
}

const batchRows = 4096

export class GroupedRead extends PullStream<Batch> {
  readonly #grouping: Grouping
  readonly #series: PullStream<Batch>
  readonly #groups: SeriesGroups
  readonly #slots: WindowSlots
  readonly #columns: readonly GroupColumn[]
  #batches: Generator<Batch, void, void> | undefined

  constructor(grouping: Grouping, range: TimeRange, series: PullStream<Batch>) {
    super()
    const { measurement, tags, series: window } = grouping
    this.#grouping = grouping
    this.#series = series
    this.#groups = new SeriesGroups(measurement, tags)
    this.#slots = new WindowSlots(window, range)
    const keepsTimes = window.pointTimes === true
    this.#columns = window.aggregates.map(
      ({ function: fn }) =>
        new GroupColumn(fn as Exclude<AggregateFunction, 'mean'>, keepsTimes && isChosen(fn)),
    )
  }

  take(): MaybePromise<Batch | undefined> {
    if (this.#batches !== undefined) return this.#next()
    const read = takeEach(this.#series, (batch) => this.#add(batch))
    return read instanceof Promise ? read.then(() => this.#next()) : this.#next()
  }

  close(): MaybePromise<void> {
    this.#batches = emptyBatches()
    return this.#series.close()
  }

  #next(): Batch | undefined {
    this.#batches ??= this.#rows()
    const next = this.#batches.next()
    return next.done === true ? undefined : next.value
  }

  #add(batch: Batch): true {
    for (const run of batch.runs) {
      const group = this.#groups.groupOf(run.keyId)
      const slots = this.#slots.find(batch, run, group)
      const slotCount = this.#slots.count(this.#groups.count)
      if (slotCount > slotsMax) {
        throw new UserError('invalid', `more than ${slotsMax} windows of groups in one read`)
      }
      for (let a = 0; a < this.#columns.length; a++) {
        this.#columns[a].reserve(slotCount)
        const times = batch.pointTimes?.[a]
        this.#columns[a].add(slots, batch.columns[a], run.start, run.stop, times)
      }
    }
    return true
  }

  *#rows(): Generator<Batch, void, void> {
    const { specs, measurement, parts, descending, limitPerSeries } = this.#grouping
    const hasPoints = specs.some((spec) => spec.hasPoints)
    const values: (Value | null)[] = specs.map(() => null)
    const points = specs.map(() => ({ pointBase: 0n, pointOffset: 0 }))
    let rows = new WindowRows(specs, batchRows)
    for (const [keyId, { group, key }] of this.#groups.inOrder().entries()) {
      let start = rows.count
      let count = 0
      const windows = this.#slots.inOrder(group)
      for (const { slot, time } of descending ? [...windows].reverse() : windows) {
        if (count >= limitPerSeries) break
        let isEmpty = true
        for (let a = 0; a < parts.length; a++) {
          values[a] = this.#value(a, slot, points[a])
          if (values[a] !== null) isEmpty = false
        }
        if (isEmpty) continue
        if (rows.count >= batchRows || !rows.fits(time, 0, values, points)) {
          if (rows.count > start) rows.runs.push({ key, keyId, start, stop: rows.count })
          yield rows.batch(measurement.name, hasPoints)
          rows = new WindowRows(specs, batchRows)
          start = 0
        }
        rows.push(time, 0, values, points)
        count++
      }
      if (rows.count > start) rows.runs.push({ key, keyId, start, stop: rows.count })
    }
    if (rows.count > 0) yield rows.batch(measurement.name, hasPoints)
  }

  #value(a: number, slot: number, point: { pointBase: bigint }): Value | null {
    const { parts, specs } = this.#grouping
    const first = this.#columns[parts[a][0]]
    if (!first.has(slot)) return null
    const value = first.value(slot)
    if (parts[a].length === 2) {
      return Number(value) / Number(this.#columns[parts[a][1]].value(slot))
    }
    if (specs[a].hasPoints) point.pointBase = first.time(slot)
    if (typeof value !== 'bigint') return value
    // 64-bit sums wrap, as InfluxDB's do.
    return specs[a].type === 'unsigned' ? BigInt.asUintN(64, value) : BigInt.asIntN(64, value)
  }
}

function* emptyBatches(): Generator<Batch, void, void> {}
