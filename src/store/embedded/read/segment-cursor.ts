// Walks the series of one measurement in one segment. A read of a few series out of many seeks: it
// finds each by binary search over the groups' first and last series. Others step through the
// groups and skip what is not wanted.

import type { ByteTableView } from '../../../column/byte-table.js'
import type { Column } from '../../../column/column.js'
import { ColumnBuffer } from '../encoding/column-block.js'
import { compareSeries } from '../key-order.js'
import type { Rows } from '../rows.js'
import {
  type FieldEntry,
  type MeasurementDirectory,
  statisticsNone,
  statisticsSum,
} from '../segment/directory.js'
import type { GroupSeries, SegmentReader } from '../segment/reader.js'
import {
  type FieldBounds,
  type LoadedRows,
  lowerBound,
  type Piece,
  type PieceStatistics,
  type SeriesCursor,
  type WholeGroup,
} from './cursor.js'
import { isWithin, type Selection } from './selection.js'

export interface OffsetRange {
  /** From here on... */
  readonly start: number
  /** ...up to but not including here. */
  readonly stop: number
}

/** What a cursor walks. */
export interface SegmentWalk {
  readonly reader: SegmentReader
  readonly directory: MeasurementDirectory
  readonly base: bigint
  readonly rank: number
  /** The fields wanted. One of the same name and another type is a field that was deleted. */
  readonly fields: readonly FieldEntry[]
  /** By field wanted: whether the predicate looks at its values. Undefined: there is no such predicate. */
  readonly filterFields: readonly boolean[] | undefined
  readonly range: OffsetRange
  readonly selection: Selection
  readonly keys: ByteTableView
  /** Spans of a series that are deleted. */
  deleted(series: number): readonly OffsetRange[]
  /** Whether any series has such a span. */
  readonly hasDeletes: boolean
}

export class SegmentCursor implements SeriesCursor {
  current = -1
  readonly #source: SegmentWalk
  readonly #directory: MeasurementDirectory
  /** By field wanted: its position in the segment, or -1. */
  readonly #fields: readonly number[]
  /** The same with -1 for fields that the predicate does not look at; undefined: nothing is saved by it. */
  readonly #filterFields: readonly number[] | undefined
  readonly #buffers: readonly ColumnBuffer[]
  #times = new Float64Array(0)
  #group = -1
  #run = 0
  #series: GroupSeries | undefined
  /** The group whose rows are decoded, as far as they are. */
  #decodedGroup = -1
  #hasTimes = false
  #columns: (Column | undefined)[] = []
  /** By field: how far its column reaches, as an offset; -Infinity: it is not there. */
  readonly #until: number[]
  /** In seek mode: the next series to look for. */
  #target = 0
  readonly #seeks: boolean

  constructor(source: SegmentWalk) {
    this.#source = source
    this.#directory = source.directory
    this.#fields = source.fields.map(({ name, type }) =>
      source.directory.fields.findIndex((field) => field.name === name && field.type === type),
    )
    this.#buffers = this.#fields.map(() => new ColumnBuffer())
    this.#until = this.#fields.map(() => Number.NEGATIVE_INFINITY)
    const { filterFields } = source
    if (filterFields?.includes(false)) {
      this.#filterFields = this.#fields.map((field, f) => (filterFields[f] ? field : -1))
    }
    const { ids } = source.selection
    this.#seeks = ids !== undefined && ids.length * 8 < source.directory.groupCount + 64
    if (!this.#seeks) this.#group = this.#groupBefore(source.selection.bounds.from)
    this.advance()
  }

  advance(): void {
    if (this.#seeks) this.#seekNext()
    else this.#stepNext()
  }

  /** To the next run of a wanted series in a group that reaches into the time range. */
  #stepNext(): void {
    const before = this.current
    do {
      this.#run++
      if (this.#series === undefined || this.#run >= this.#series.count) {
        if (!this.#nextGroup()) {
          this.current = -1
          return
        }
      }
      this.current = this.#series!.ids[this.#run]
      if (this.#isBehind(this.current)) {
        this.current = -1
        return
      }
      // A long series goes on in the next groups: these are its pieces, not another series.
    } while (this.current === before || !this.#source.selection.has(this.current))
  }

  /** Whether the bounds end before this series. */
  #isBehind(series: number): boolean {
    const { selection, keys } = this.#source
    const { before } = selection.bounds
    return before >= 0 && compareSeries(keys, series, before) >= 0
  }

  /** The last group that ends before a series (-1: none, or no series is asked for). */
  #groupBefore(series: number): number {
    return series < 0 ? -1 : this.#groupOf(series) - 1
  }

  #nextGroup(): boolean {
    for (this.#group++; this.#group < this.#directory.groupCount; this.#group++) {
      if (!this.#overlaps(this.#group)) continue
      this.#openGroup(this.#group)
      return true
    }
    return false
  }

  #openGroup(g: number): void {
    this.#group = g
    this.#series = this.#source.reader.readSeries(this.#directory, g)
    this.#run = 0
  }

  #overlaps(g: number): boolean {
    const { start, stop } = this.#source.range
    return this.#directory.maxOffsets[g] >= start && this.#directory.minOffsets[g] < stop
  }

  #seekNext(): void {
    const ids = this.#source.selection.ids!
    while (this.#target < ids.length) {
      if (this.#seek(ids[this.#target++])) return
    }
    this.current = -1
  }

  /** The first group whose last series does not come before this one. */
  #groupOf(series: number): number {
    const { lastSeries, groupCount } = this.#directory
    let low = 0
    let high = groupCount
    while (low < high) {
      const middle = (low + high) >>> 1
      if (compareSeries(this.#source.keys, lastSeries[middle], series) < 0) low = middle + 1
      else high = middle
    }
    return low
  }

  #seek(series: number): boolean {
    const directory = this.#directory
    const { keys } = this.#source
    const low = this.#groupOf(series)
    if (low === directory.groupCount) return false
    if (directory.seriesCounts[low] === 1) {
      if (directory.firstSeries[low] !== series) return false
      this.#openGroup(low)
    } else {
      if (compareSeries(keys, directory.firstSeries[low], series) > 0) return false
      if (this.#group !== low) this.#openGroup(low)
      this.#run = this.#series!.ids.indexOf(series)
      if (this.#run < 0) return false
    }
    this.current = series
    return true
  }

  pieces(): Piece[] {
    const pieces: Piece[] = []
    const series = this.current
    const directory = this.#directory
    if (directory.seriesCounts[this.#group] > 1) {
      const start = this.#run === 0 ? 0 : this.#series!.ends[this.#run - 1]
      this.#addPieces(pieces, this.#group, start, this.#series!.ends[this.#run])
      return pieces
    }
    for (let g = this.#group; g < directory.groupCount; g++) {
      if (directory.seriesCounts[g] > 1 || directory.firstSeries[g] !== series) break
      if (this.#overlaps(g)) this.#addPieces(pieces, g, 0, directory.rowCounts[g])
    }
    return pieces
  }

  /** The rows of a run that are in range and not deleted. */
  #addPieces(pieces: Piece[], g: number, start: number, stop: number): void {
    const deleted = this.#source.hasDeletes ? this.#source.deleted(this.current) : []
    let from = this.#source.range.start
    for (const span of deleted) {
      this.#addPiece(pieces, g, start, stop, from, Math.min(span.start, this.#source.range.stop))
      from = Math.max(from, span.stop)
    }
    this.#addPiece(pieces, g, start, stop, from, this.#source.range.stop)
  }

  #addPiece(
    pieces: Piece[],
    g: number,
    start: number,
    stop: number,
    fromOffset: number,
    toOffset: number,
  ): void {
    const directory = this.#directory
    const minOffset = Math.max(directory.minOffsets[g], fromOffset)
    // Offsets are whole numbers: the last one inside is one less.
    const maxOffset = Math.min(directory.maxOffsets[g], toOffset - 1)
    if (minOffset > maxOffset) return
    const isWhole = minOffset === directory.minOffsets[g] && maxOffset === directory.maxOffsets[g]
    const { base, rank } = this.#source
    const hasStatistics = isWhole && directory.seriesCounts[g] === 1
    pieces.push(
      new SegmentPiece(this, {
        base,
        rank,
        g,
        start,
        stop,
        minOffset,
        maxOffset,
        isWhole,
        hasStatistics,
      }),
    )
  }

  bounds(g: number, field: number): FieldBounds | undefined {
    const directory = this.#directory
    const at = g * directory.fields.length + this.#fields[field]
    if (this.#fields[field] < 0 || directory.valueCounts[at] === 0) return { kind: 'no values' }
    if (directory.statistics[at] === statisticsNone) return undefined
    return { kind: 'between', min: directory.mins[at], max: directory.maxs[at] }
  }

  rowCount(g: number): number {
    return this.#directory.rowCounts[g]
  }

  valueCount(g: number, field: number): number {
    return this.#fields[field] < 0 ? 0 : this.#directory.valueCounts[this.#columnAt(g, field)]
  }

  sum(g: number, field: number): number | undefined {
    const directory = this.#directory
    const at = this.#columnAt(g, field)
    if (this.#fields[field] < 0 || directory.statistics[at] < statisticsSum) return undefined
    return directory.sums[at]
  }

  #columnAt(g: number, field: number): number {
    return g * this.#directory.fields.length + this.#fields[field]
  }

  /** All columns and the times of a group, as far as the rows of its one series up to `until` (an offset) need them. */
  load(g: number, until = Number.POSITIVE_INFINITY): Rows {
    const isSorted = this.#directory.seriesCounts[g] === 1
    // Who comes back for more, for the next stretch between deleted ones, gets everything at once.
    const isFirst = this.#decodedGroup !== g
    return this.#decode(g, this.#fields, true, isSorted && isFirst ? until : undefined)
  }

  /** The columns that the predicate looks at; undefined where these are all. */
  peek(g: number, withTimes: boolean): Rows | undefined {
    return this.#filterFields && this.#decode(g, this.#filterFields, withTimes)
  }

  /** Decodes what is asked for and not there yet: fields (-1: not this one) and times. */
  #decode(
    g: number,
    fields: readonly number[],
    withTimes: boolean,
    until = Number.POSITIVE_INFINITY,
  ): Rows {
    const rowCount = this.#directory.rowCounts[g]
    if (this.#decodedGroup !== g) {
      this.#decodedGroup = g
      this.#hasTimes = false
      this.#until.fill(Number.NEGATIVE_INFINITY)
      this.#columns = this.#fields.map(() => undefined)
      if (this.#times.length < rowCount) this.#times = new Float64Array(Math.max(4096, rowCount))
    }
    const missing = fields.map((field, f) => (this.#until[f] >= until ? -1 : field))
    const times = withTimes && !this.#hasTimes ? this.#times : undefined
    if (times !== undefined || missing.some((field) => field >= 0)) {
      const { reader } = this.#source
      const wanted =
        until === Number.POSITIVE_INFINITY
          ? undefined
          : (count: number) => lowerBound(this.#times, 0, count, until + 1)
      reader.readGroup(this.#directory, g, missing, times, this.#buffers, this.#columns, wanted)
      this.#hasTimes ||= withTimes
      for (let f = 0; f < missing.length; f++) if (missing[f] >= 0) this.#until[f] = until
    }
    const magnitudes = this.#fields.map((field) => this.#magnitude(g, field))
    return { rowCount, offsets: this.#times, columns: this.#columns, magnitudes }
  }

  #magnitude(g: number, field: number): number | undefined {
    const directory = this.#directory
    const at = g * directory.fields.length + field
    if (field < 0 || directory.statistics[at] === statisticsNone) return undefined
    return Math.max(Math.abs(directory.mins[at]), Math.abs(directory.maxs[at]))
  }

  takeGroup(before: number): WholeGroup | undefined {
    const g = this.#group
    const directory = this.#directory
    const { range, selection, hasDeletes, keys } = this.#source
    if (this.#run !== 0 || directory.seriesCounts[g] === 1) return undefined
    if (selection.ids !== undefined || hasDeletes) return undefined
    if (directory.minOffsets[g] < range.start || directory.maxOffsets[g] >= range.stop) {
      return undefined
    }
    if (before >= 0 && compareSeries(keys, directory.lastSeries[g], before) >= 0) return undefined
    const { bounds } = selection
    if (!isWithin(directory.firstSeries[g], bounds, keys)) return undefined
    if (!isWithin(directory.lastSeries[g], bounds, keys)) return undefined
    const rows = this.#decode(g, this.#fields, true)
    const { ids, ends } = this.#series!
    this.#run = this.#series!.count
    this.current = directory.lastSeries[g]
    this.#stepNext()
    return { base: this.#source.base, rows, seriesIds: ids, ends }
  }
}

interface PiecePlace {
  readonly base: bigint
  readonly rank: number
  readonly g: number
  /** Rows of the series in the group. */
  readonly start: number
  readonly stop: number
  readonly minOffset: number
  readonly maxOffset: number
  /** All rows of the group are in range. */
  readonly isWhole: boolean
  readonly hasStatistics: boolean
}

/** One object, and no closures: a read of many short series makes one for each. */
class SegmentPiece implements Piece, PieceStatistics {
  readonly base: bigint
  readonly rank: number
  readonly minOffset: number
  readonly maxOffset: number
  readonly statistics: PieceStatistics | undefined
  readonly #cursor: SegmentCursor
  readonly #place: PiecePlace

  constructor(cursor: SegmentCursor, place: PiecePlace) {
    this.#cursor = cursor
    this.#place = place
    this.base = place.base
    this.rank = place.rank
    this.minOffset = place.minOffset
    this.maxOffset = place.maxOffset
    this.statistics = place.hasStatistics ? this : undefined
  }

  get rowCount(): number {
    return this.#cursor.rowCount(this.#place.g)
  }

  valueCount(field: number): number {
    return this.#cursor.valueCount(this.#place.g, field)
  }

  range(field: number): { readonly min: number; readonly max: number } | undefined {
    const bounds = this.bounds(field)
    return bounds?.kind === 'between' ? bounds : undefined
  }

  sum(field: number): number | undefined {
    return this.#cursor.sum(this.#place.g, field)
  }

  bounds(field: number): FieldBounds | undefined {
    return this.#cursor.bounds(this.#place.g, field)
  }

  peek(): LoadedRows | undefined {
    const rows = this.#cursor.peek(this.#place.g, !this.#place.isWhole)
    return rows && this.#cut(rows)
  }

  load(): LoadedRows {
    const { g, isWhole, maxOffset } = this.#place
    return this.#cut(isWhole ? this.#cursor.load(g) : this.#cursor.load(g, maxOffset))
  }

  #cut(rows: Rows): LoadedRows {
    const { start, stop, isWhole, minOffset, maxOffset } = this.#place
    if (isWhole) return { rows, start, stop }
    return {
      rows,
      start: lowerBound(rows.offsets, start, stop, minOffset),
      stop: lowerBound(rows.offsets, start, stop, maxOffset + 1),
    }
  }
}
