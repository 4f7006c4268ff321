// A cursor over the series of one measurement in one segment. A read of a few series out of many seeks: it
// finds each by binary search over the groups' first and last series. Others step through the
// groups and skip what is not wanted.

import type { Column } from '../../../column/column.js'
import { ColumnBuffer } from '../encoding/column-block.js'
import { partRows, partStart, partStop } from '../encoding/parts.js'
import { TimeBuffer } from '../encoding/time-buffer.js'
import { compareSeries } from '../index/key-order.js'
import type { SeriesKeyView } from '../index/series-key-table.js'
import type { GroupSeries } from '../segment/block-cache.js'
import { type MeasurementDirectory, statisticsNone, statisticsSum } from '../segment/directory.js'
import type { SegmentReader } from '../segment/reader.js'
import { RowCut } from '../segment/row-cut.js'
import { directRowsMin } from './batch-builder.js'
import {
  type FieldBounds,
  type LoadedRows,
  lowerBound,
  type Piece,
  type SeriesCursor,
  type WholeGroup,
} from './cursor.js'
import type { BufferHolder, LentBuffers } from './lent-buffers.js'
import { type PieceSource, type RowPlace, SegmentPiece } from './segment-piece.js'
import { isWithin, type Selection } from './selection.js'

export interface OffsetRange {
  /** From here on... */
  readonly start: number
  /** ...up to but not including here. */
  readonly stop: number
}

/** A segment of up to so many groups is small: reading all of it leaves room for others in the block cache. */
const smallGroupCount = 64

/** From one row in so many on, decoding a whole group takes less than the rows of each series by itself. */
const wantedShare = 2

/** What a cursor is made from. */
export interface SegmentCursorInput {
  readonly kind: 'segment'
  readonly reader: SegmentReader
  readonly measurement: string
  readonly base: bigint
  readonly rank: number
  readonly access: SegmentAccess
  readonly range: OffsetRange
  readonly selection: Selection
  readonly keys: SeriesKeyView
}

/** What a request means in this segment. Reads of the same series may share it, whatever their range. */
export interface SegmentAccess {
  /** By field wanted: its position in the segment, or -1. */
  readonly fields: readonly number[]
  /** The same with -1 for fields that the predicate does not look at; undefined: nothing is saved by it. */
  readonly filterFields: readonly number[] | undefined
  /** Spans of a series that are deleted. */
  deleted(series: number): readonly OffsetRange[]
  /** Whether any series has such a span. */
  readonly hasDeletes: boolean
  /** Whether groups that are taken as a whole need the times of their rows. */
  readonly needsTimes: boolean
  /** By field wanted: only how many values there are is asked for. */
  readonly isCounted: readonly boolean[]
  /** Of each series so many rows are looked at, from where the order starts. */
  readonly rowsPerSeries: number
  /** No decoded array leaves the read, so that other reads may look at the same ones. */
  readonly staysInside: boolean
  /** By position among the series selected: where it begins, as far as it was looked for. */
  readonly places: (SeriesPlace | undefined)[]
  /** Of a merge of many fields, whose pieces are copied one after the other. */
  readonly lentBuffers?: LentBuffers | undefined
}

/** Rows `start` up to `stop` of a group; no group: the series is not in the segment. */
interface SeriesPlace {
  readonly group: number | undefined
  readonly start: number
  readonly stop: number
}

/** Every row has a value; nobody asks which. */
const presentColumn: Column = { type: 'integer', values: new Float64Array(0), validity: undefined }

const noFields: readonly number[] = []

const nowhere: SeriesPlace = { group: undefined, start: 0, stop: 0 }

export class SegmentCursor implements SeriesCursor, PieceSource, BufferHolder {
  current = -1
  readonly #source: SegmentCursorInput
  readonly #access: SegmentAccess
  readonly #directory: MeasurementDirectory
  readonly #fields: readonly number[]
  readonly #times: TimeBuffer
  /** Made when first needed: cached blocks need none. */
  #buffers: (ColumnBuffer | undefined)[] | undefined
  #group = -1
  #run = 0
  /** The rows of the current series in the group. */
  #start = 0
  #stop = 0
  /** The series of the group, where it has several. */
  #series: GroupSeries | undefined
  /** Whether so many of them are wanted that the group is decoded as a whole. */
  #wantsMost = false
  #seriesCount = 0
  /** The group whose rows are decoded, as far as they are. */
  #decodedGroup = -1
  /** Which rows of it have their times. */
  #timesFrom = 0
  #timesTo = 0
  /** Whether others look at its arrays too. */
  #holdsCached = false
  readonly #columns: (Column | undefined)[] = []
  readonly #magnitudes: (number | undefined)[] = []
  /** By field: which rows of its column are decoded. */
  readonly #from: number[] = []
  readonly #to: number[] = []
  readonly #cut = new RowCut()
  /** Where rows were cut by time, and which ones were left: it is asked for again when they pass a predicate. */
  #lastPlace: RowPlace | undefined
  #lastStart = 0
  #lastStop = 0
  /** In seek mode: the next series to look for. */
  #target = 0
  /** ...and the group whose series are at hand. */
  #soughtGroup = -1
  readonly #seeks: boolean
  /** A read of everything would take the room of what others ask for again. */
  readonly #usesCache: boolean

  constructor(source: SegmentCursorInput) {
    const { reader, measurement, access } = source
    const directory = reader.directory.measurements.get(measurement)!
    this.#source = source
    this.#access = access
    this.#directory = directory
    this.#fields = access.fields
    this.#times = new TimeBuffer(access.staysInside)
    const { ids } = source.selection
    const { groupCount } = directory
    this.#seeks = ids !== undefined && ids.length * 8 < groupCount + 64
    this.#usesCache = this.#seeks || (access.staysInside && groupCount <= smallGroupCount)
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
      if (this.#run >= this.#seriesCount) {
        if (!this.#nextGroup()) {
          this.current = -1
          return
        }
      }
      this.#start = this.#run === 0 ? 0 : this.#series!.ends[this.#run - 1]
      this.#stop = this.#series?.ends[this.#run] ?? this.#directory.rowCounts[this.#group]
      this.current = this.#series?.ids[this.#run] ?? this.#directory.firstSeries[this.#group]
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
    this.#seriesCount = this.#directory.seriesCounts[g]
    this.#series = this.#seriesCount === 1 ? undefined : this.#seriesIn(g)
    this.#wantsMost = this.#series !== undefined && this.#isMostWanted(g, this.#series)
    this.#run = 0
  }

  /** Who looks for some series may look for others of the same groups next. */
  #seriesIn(g: number): GroupSeries {
    const { reader, selection } = this.#source
    if (!reader.isCaching) reader.readAhead(this.#directory, g, this.#fields)
    if (selection.ids === undefined) return reader.readSeries(this.#directory, g)
    return reader.cachedSeries(this.#directory, g)
  }

  /** Rows are decoded in parts: a series of few rows takes a part of them all the same. */
  #isMostWanted(g: number, { ids, ends, count }: GroupSeries): boolean {
    const { selection } = this.#source
    const { rowsPerSeries } = this.#access
    const share = this.#shareInRange(g)
    if (selection.ids === undefined && share === 1 && rowsPerSeries === Infinity) return true
    let rows = 0
    for (let i = 0, start = 0; i < count; start = ends[i++]) {
      const looked = Math.min((ends[i] - start) * share, rowsPerSeries)
      if (selection.has(ids[i])) rows += Math.max(partRows, looked)
    }
    return rows * wantedShare >= ends[count - 1]
  }

  /** How much of a group lies in the time range, if its points are spread evenly. */
  #shareInRange(g: number): number {
    const { range } = this.#source
    const [first, last] = [this.#directory.minOffsets[g], this.#directory.maxOffsets[g]]
    const within = Math.min(range.stop - 1, last) - Math.max(range.start, first)
    return (within + 1) / (last - first + 1)
  }

  #overlaps(g: number): boolean {
    const { start, stop } = this.#source.range
    return this.#directory.maxOffsets[g] >= start && this.#directory.minOffsets[g] < stop
  }

  #seekNext(): void {
    const ids = this.#source.selection.ids!
    while (this.#target < ids.length) {
      const target = this.#target++
      if (this.#seek(ids[target], target)) return
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

  #seek(series: number, target: number): boolean {
    const { places } = this.#access
    const place = places[target] ?? this.#placeOf(series)
    places[target] = place
    if (place.group === undefined) return false
    this.#group = place.group
    this.#start = place.start
    this.#stop = place.stop
    this.current = series
    return true
  }

  #placeOf(series: number): SeriesPlace {
    const { firstSeries, seriesCounts, rowCounts, groupCount } = this.#directory
    const group = this.#groupOf(series)
    if (group === groupCount) return nowhere
    if (seriesCounts[group] === 1) {
      return firstSeries[group] === series ? { group, start: 0, stop: rowCounts[group] } : nowhere
    }
    if (compareSeries(this.#source.keys, firstSeries[group], series) > 0) return nowhere
    const { ids, ends } = this.#soughtIn(group)
    const run = ids.indexOf(series)
    if (run < 0) return nowhere
    return { group, start: run === 0 ? 0 : ends[run - 1], stop: ends[run] }
  }

  /** The series of a group; the next one that is looked for may be in the same. */
  #soughtIn(group: number): GroupSeries {
    if (this.#soughtGroup !== group || this.#series === undefined) {
      this.#series = this.#seriesIn(group)
      this.#soughtGroup = group
    }
    return this.#series
  }

  addPieces(pieces: Piece[]): void {
    const series = this.current
    const directory = this.#directory
    if (directory.seriesCounts[this.#group] > 1) {
      this.#addRun(pieces, this.#group, this.#start, this.#stop)
      return
    }
    for (let g = this.#group; g < directory.groupCount; g++) {
      if (directory.seriesCounts[g] > 1 || directory.firstSeries[g] !== series) break
      if (this.#overlaps(g)) this.#addRun(pieces, g, 0, directory.rowCounts[g])
    }
  }

  /** The rows of a run that are in range and not deleted. */
  #addRun(pieces: Piece[], g: number, start: number, stop: number): void {
    const deleted = this.#access.hasDeletes ? this.#access.deleted(this.current) : []
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
    const hasStatistics = isWhole && directory.seriesCounts[g] === 1
    const { base, rank } = this.#source
    const piece = new SegmentPiece(this, base, rank, minOffset, maxOffset, hasStatistics)
    piece.place(g, start, stop, isWhole)
    pieces.push(piece)
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

  /** The rows of a place with all columns and their times; see Piece. */
  load(place: RowPlace, isExact: boolean): LoadedRows {
    const withTimes = isExact || this.#access.needsTimes || !place.isWhole
    return this.#decode(place, this.#fields, withTimes, isExact)
  }

  /** The parts with the last or first of a place's rows, where that costs less than all of them. */
  loadEnd(place: RowPlace, isNewest: boolean, rowsWanted: number, isExact: boolean): LoadedRows {
    let { g, start, stop, isWhole, minOffset, maxOffset } = place
    if (!isWhole || this.#takesAll(g)) return this.load(place, isExact)
    if (isNewest) start = Math.max(start, partStart(stop - rowsWanted))
    else stop = Math.min(stop, partStop(start + rowsWanted))
    return this.load({ g, start, stop, minOffset, maxOffset, isWhole }, isExact)
  }

  /** Who goes through most series of a group gets all of it at the first one. */
  #takesAll(g: number): boolean {
    return this.#isStepped(g) && this.#wantsMost
  }

  /** Whether series of a group are taken one after the other. */
  #isStepped(g: number): boolean {
    return this.#directory.seriesCounts[g] > 1 && !this.#seeks
  }

  /** The columns that the predicate looks at; undefined where these are all. */
  peek(place: RowPlace): LoadedRows | undefined {
    const { filterFields } = this.#access
    return filterFields && this.#decode(place, filterFields, !place.isWhole)
  }

  /** Whether so many rows may lie in arrays that other reads look at too: they stay inside, or are copied. */
  #mayShare(rowCount: number): boolean {
    return this.#access.staysInside || rowCount < directRowsMin
  }

  /**
   * Decodes what is asked for and not there yet: fields (-1: not this one) and times, of the rows of the place or of
   * the whole group.
   */
  #decode(
    place: RowPlace,
    fields: readonly number[],
    withTimes: boolean,
    isExact = true,
  ): LoadedRows {
    const { g, start, stop } = place
    const rowCount = this.#directory.rowCounts[g]
    const mayShare = this.#mayShare(stop - start)
    // Another series of the group may have had few rows.
    if (this.#decodedGroup !== g || (this.#holdsCached && !mayShare)) this.#beginGroup(g)
    this.#takeCounted(g, fields, isExact)
    if (this.#usesCache && mayShare) this.#takeCached(g, fields, withTimes)
    const takesAll = this.#takesAll(g)
    const cut = this.#cut
    // Of a group that most series of are looked through, times are looked through too: each series' rows lie elsewhere.
    if (!takesAll && !place.isWhole && this.#isStepped(g)) {
      this.#readMissing(g, noFields, true, cut.setRows(0, rowCount))
    }
    if (takesAll) cut.setRows(0, rowCount)
    else if (place.isWhole) cut.setRows(start, stop)
    else if (place === this.#lastPlace) cut.setRows(this.#lastStart, this.#lastStop)
    else cut.setRange(start, stop, place.minOffset, place.maxOffset)
    // Of times that are at hand nothing is read which would narrow it.
    if (this.#hasTimes(cut)) cut.narrow(this)
    this.#readMissing(g, fields, withTimes, cut)
    const { offsets } = this.#times
    const rows = { rowCount, offsets, columns: this.#columns, magnitudes: this.#magnitudes }
    if (takesAll && place.isWhole) return { rows, start, stop }
    if (takesAll) cut.setRange(start, stop, place.minOffset, place.maxOffset).narrow(this)
    this.#lastPlace = place
    this.#lastStart = cut.start
    this.#lastStop = cut.stop
    return { rows, start: cut.start, stop: cut.stop }
  }

  /** Among the times that are decoded. */
  lowerBound(start: number, stop: number, offset: number): number {
    return lowerBound(this.#times.offsets, start, stop, offset)
  }

  #beginGroup(g: number): void {
    if (this.#access.lentBuffers !== undefined) {
      this.giveBack()
      // Of a group of several series more is asked for after pieces of others.
      this.#access.lentBuffers.pass(this.#directory.seriesCounts[g] === 1 ? this : undefined)
    }
    this.#decodedGroup = g
    this.#timesFrom = 0
    this.#timesTo = 0
    this.#holdsCached = false
    for (let f = 0; f < this.#fields.length; f++) {
      this.#columns[f] = undefined
      this.#from[f] = 0
      this.#to[f] = 0
      this.#magnitudes[f] = this.#magnitude(g, this.#fields[f])
    }
  }

  /** Gives its buffers back; what was in them is decoded again if it is asked for. */
  giveBack(): void {
    this.#decodedGroup = -1
    for (const buffer of this.#buffers ?? []) {
      if (buffer !== undefined) this.#access.lentBuffers?.give(buffer)
    }
    this.#buffers = undefined
  }

  /** Columns of which only the number of values is asked for need not be read where every row has one. */
  #takeCounted(g: number, fields: readonly number[], isExact: boolean): void {
    const rowCount = this.#directory.rowCounts[g]
    for (let f = 0; f < fields.length; f++) {
      if (fields[f] < 0 || !this.#access.isCounted[f]) continue
      const isReplaced = this.#columns[f] === presentColumn
      if (isExact ? !isReplaced : this.valueCount(g, f) !== rowCount) continue
      this.#columns[f] = isExact ? undefined : presentColumn
      this.#from[f] = 0
      this.#to[f] = isExact ? 0 : rowCount
    }
  }

  #takeCached(g: number, fields: readonly number[], withTimes: boolean): void {
    const { reader } = this.#source
    const rowCount = this.#directory.rowCounts[g]
    this.#holdsCached = true
    if (withTimes && !(this.#timesFrom === 0 && this.#timesTo === rowCount)) {
      const times = reader.cachedTimes(this.#directory, g, this.#seriesOf(g))
      if (times !== undefined) {
        this.#times.offsets = times
        this.#timesFrom = 0
        this.#timesTo = rowCount
      }
    }
    for (let f = 0; f < fields.length; f++) {
      if (fields[f] < 0 || (this.#from[f] === 0 && this.#to[f] === rowCount)) continue
      const hasValues = this.valueCount(g, f) > 0
      const column = hasValues ? reader.cachedColumn(this.#directory, g, fields[f]) : undefined
      if (hasValues && column === undefined) continue
      this.#columns[f] = column
      this.#from[f] = 0
      this.#to[f] = rowCount
    }
  }

  /** The series of a group with several; where the cursor stands, they are at hand. */
  #seriesOf(g: number): GroupSeries | undefined {
    if (this.#directory.seriesCounts[g] === 1) return undefined
    return this.#seeks ? this.#soughtIn(g) : this.#series
  }

  #readMissing(g: number, fields: readonly number[], withTimes: boolean, cut: RowCut): void {
    const { start, stop } = cut
    const needsTimes = withTimes && !this.#hasTimes(cut)
    let isMissing = needsTimes
    for (let f = 0; f < fields.length; f++) {
      if (fields[f] >= 0 && !this.#hasRows(f, start, stop)) isMissing = true
    }
    if (!isMissing) return
    const missing = fields.map((field, f) => (this.#hasRows(f, start, stop) ? -1 : field))
    this.#buffers ??= this.#fields.map(() => undefined)
    for (let f = 0; f < missing.length; f++) {
      if (missing[f] < 0 || this.#buffers[f] !== undefined || this.valueCount(g, f) === 0) continue
      this.#buffers[f] = this.#access.lentBuffers?.take() ?? new ColumnBuffer()
    }
    const { reader } = this.#source
    reader.readGroup(
      this.#directory,
      g,
      missing,
      needsTimes ? this.#times : undefined,
      this.#buffers,
      this.#columns,
      needsTimes ? this.#seriesOf(g) : undefined,
      cut,
    )
    if (needsTimes) {
      this.#timesFrom = cut.start
      this.#timesTo = cut.stop
    }
    for (let f = 0; f < missing.length; f++) {
      if (missing[f] < 0) continue
      this.#from[f] = cut.start
      this.#to[f] = cut.stop
    }
  }

  #hasTimes({ start, stop }: RowCut): boolean {
    return this.#timesFrom <= start && stop <= this.#timesTo
  }

  #hasRows(f: number, start: number, stop: number): boolean {
    return this.#from[f] <= start && stop <= this.#to[f]
  }

  #magnitude(g: number, field: number): number | undefined {
    const directory = this.#directory
    const at = g * directory.fields.length + field
    if (field < 0 || directory.statistics[at] === statisticsNone) return undefined
    return Math.max(Math.abs(directory.mins[at]), Math.abs(directory.maxs[at]))
  }

  #wholeGroup(g: number): RowPlace {
    const { minOffsets, maxOffsets, rowCounts } = this.#directory
    const [minOffset, maxOffset] = [minOffsets[g], maxOffsets[g]]
    return { g, start: 0, stop: rowCounts[g], minOffset, maxOffset, isWhole: true }
  }

  takeGroup(before: number): WholeGroup | undefined {
    const g = this.#group
    const directory = this.#directory
    const { range, selection, keys } = this.#source
    if (this.#run !== 0 || directory.seriesCounts[g] === 1) return undefined
    if (selection.ids !== undefined || this.#access.hasDeletes || !this.#wantsMost) return undefined
    if (directory.minOffsets[g] < range.start || directory.maxOffsets[g] >= range.stop) {
      return undefined
    }
    if (before >= 0 && compareSeries(keys, directory.lastSeries[g], before) >= 0) return undefined
    const { bounds } = selection
    if (!isWithin(directory.firstSeries[g], bounds, keys)) return undefined
    if (!isWithin(directory.lastSeries[g], bounds, keys)) return undefined
    const place = this.#wholeGroup(g)
    const { rows } = this.#decode(place, this.#fields, this.#access.needsTimes, false)
    const { ids, ends } = this.#series!
    this.#run = this.#seriesCount
    this.current = directory.lastSeries[g]
    this.#stepNext()
    return { base: this.#source.base, rows, seriesIds: ids, ends }
  }
}
