// Window aggregates of groups of series. The windows of each series come from the read below, wherever its threads
// run, series in key order; here they are joined by group and window, in that order, so that sums of floats are the
// same however a read was shared. Memory follows the number of groups and windows.

import type { Batch } from '../../../column/batch.js'
import type { Value } from '../../../column/column.js'
import type { TimeRange } from '../../../column/time.js'
import { UserError } from '../../../errors.js'
import { type MaybePromise, PullStream, takeEach } from '../../../platform/pull-stream.js'
import { sumOf64Bits } from '../../aggregate-types.js'
import { GroupColumn, type GroupJoin } from '../../group-column.js'
import { type Grouping, isChosen } from './grouping.js'
import type { Groups } from './series-groups.js'
import { WindowRows } from './window-rows.js'
import { WindowSlots } from './window-slots.js'

const batchRows = 4096

export class GroupedRead extends PullStream<Batch> {
  readonly #grouping: Grouping
  readonly #series: PullStream<Batch>
  readonly #groups: Groups
  readonly #slots: WindowSlots
  readonly #columns: readonly GroupColumn[]
  #batches: Generator<Batch, void, void> | undefined

  constructor(grouping: Grouping, groups: Groups, range: TimeRange, series: PullStream<Batch>) {
    super()
    const { series: window } = grouping
    this.#grouping = grouping
    this.#series = series
    this.#groups = groups
    this.#slots = new WindowSlots(window, range)
    const keepsTimes = window.pointTimes === true
    this.#columns = window.aggregates.map(
      ({ function: fn }) => new GroupColumn(fn as GroupJoin, keepsTimes && isChosen(fn)),
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
      this.#checkMemory(slotCount)
      for (let a = 0; a < this.#columns.length; a++) {
        this.#columns[a].reserve(slotCount)
        const times = batch.pointTimes?.[a]
        this.#columns[a].add(slots, batch.columns[a], run.start, run.stop, times)
      }
    }
    return true
  }

  #checkMemory(slotCount: number): void {
    const { memoryBytesMax } = this.#grouping
    let bytes = 0
    for (const column of this.#columns) bytes += slotCount * column.slotBytes
    if (memoryBytesMax === 0 || bytes <= memoryBytesMax) return
    const figures = `(${bytes}/${memoryBytesMax} bytes)`
    throw new UserError('invalid', `query memory limit exceeded: ${figures}`)
  }

  *#rows(): Generator<Batch, void, void> {
    const { specs, measurement, parts, descending, limitPerSeries } = this.#grouping
    const hasPoints = specs.some((spec) => spec.hasPoints)
    const values: (Value | null)[] = specs.map(() => null)
    const points = specs.map(() => ({ pointBase: 0n, pointOffset: 0 }))
    // Where a group has windows that lie far apart, a batch has a few of them.
    const { nearCount, denseCount } = this.#slots
    const roomMax = nearCount < denseCount ? Math.min(batchRows, nearCount) : batchRows
    const rowsExpected = Math.min(roomMax, this.#slots.count(this.#groups.count))
    let rows = new WindowRows(specs, rowsExpected)
    for (const [keyId, { group, key }] of this.#groups.inOrder().entries()) {
      const windowsMax = this.#slots.denseCount
      if (windowsMax <= batchRows && rows.count + windowsMax > batchRows) {
        if (rows.count > 0) yield rows.batch(measurement, hasPoints)
        rows = new WindowRows(specs, roomMax)
      }
      let start = rows.count
      if (this.#isPlain(group)) {
        let window = 0
        while (window < windowsMax) {
          const next = this.#extend(rows, group, window)
          if (next >= 0) {
            window = next
            continue
          }
          // Times that lie far apart have another origin each.
          if (rows.count > start) rows.runs.push({ key, keyId, start, stop: rows.count })
          yield rows.batch(measurement, hasPoints)
          rows = new WindowRows(specs, roomMax)
          start = 0
        }
        if (rows.count > start) rows.runs.push({ key, keyId, start, stop: rows.count })
        continue
      }
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
          yield rows.batch(measurement, hasPoints)
          rows = new WindowRows(specs, roomMax)
          start = 0
        }
        rows.push(time, 0, values, points)
        count++
      }
      if (rows.count > start) rows.runs.push({ key, keyId, start, stop: rows.count })
    }
    if (rows.count > 0) yield rows.batch(measurement, hasPoints)
  }

  /** Whether all rows of the group are plain numbers, in the same windows: else they must go one by one. */
  #isPlain(group: number): boolean {
    const { specs, descending, limitPerSeries } = this.#grouping
    if (descending || limitPerSeries !== Infinity || specs.some((spec) => spec.hasPoints))
      return false
    if (this.#slots.denseCount === 0) return false
    const [{ marks }] = this.#columns
    for (const { numbers, marks: own } of this.#columns) {
      if (numbers === undefined) return false
      if (own !== marks && !this.#slots.isSame(group, own, marks)) return false
    }
    return true
  }

  /**
   * Adds rows of the group from a window on, as many as can be told from one origin, and returns the window behind
   * them; -1: they cannot stand with the rows that there are.
   */
  #extend(rows: WindowRows, group: number, from: number): number {
    const { parts } = this.#grouping
    const { first, windows, origin, offsets, count, next } = this.#slots.filled(
      group,
      this.#columns[0].marks,
      from,
    )
    if (count === 0) return next
    if (rows.count > 0 && rows.count + count > batchRows) return -1
    const at = rows.extend(origin, offsets, count)
    if (at < 0) return -1
    const isWhole = count === next - from
    for (let a = 0; a < parts.length; a++) {
      const [one, other] = parts[a].map((part) => this.#columns[part].numbers!)
      const out = rows.numbers(a)
      if (isWhole) out.set(one.subarray(first + from, first + next), at)
      else for (let i = 0; i < count; i++) out[at + i] = one[first + windows[i]]
      if (other === undefined) continue
      for (let i = 0; i < count; i++) out[at + i] /= other[first + windows[i]]
    }
    return next
  }

  #value(a: number, slot: number, point: { pointBase: bigint }): Value | null {
    const { parts, specs, series } = this.#grouping
    const first = this.#columns[parts[a][0]]
    if (!first.has(slot)) return null
    const value = first.value(slot)
    if (parts[a].length === 2) {
      return Number(value) / Number(this.#columns[parts[a][1]].value(slot))
    }
    if (specs[a].hasPoints) point.pointBase = first.time(slot)
    if (typeof value !== 'bigint') return value
    return sumOf64Bits(specs[a].type, value, series.refusesOverflow === true)
  }
}

function* emptyBatches(): Generator<Batch, void, void> {}
