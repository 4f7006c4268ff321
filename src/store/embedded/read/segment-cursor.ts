// Walks the series of one measurement in one segment. A read of a few series out of many seeks: it
// finds each by binary search over the groups' first and last series. Others step through the
// groups and skip what is not wanted.

import type { SeriesKeys } from '../../../column/series.js'
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
  type LoadedRows,
  lowerBound,
  type Piece,
  type PieceStatistics,
  type SeriesCursor,
  type WholeGroup,
} from './cursor.js'
import type { Selection } from './selection.js'

export interface OffsetRange {
  /** From here on... */
  readonly start: number
  /** ...up to but not including here. */
  readonly stop: number
}

export interface SegmentSource {
  readonly reader: SegmentReader
  readonly directory: MeasurementDirectory
  readonly base: bigint
  readonly rank: number
  /** The fields wanted. One of the same name and another type is a field that was deleted. */
  readonly fields: readonly FieldEntry[]
  readonly range: OffsetRange
  readonly selection: Selection
  readonly keys: SeriesKeys
  /** Spans of a series that are deleted. */
  deleted(series: number): readonly OffsetRange[]
  /** Whether any series has such a span. */
  readonly hasDeletes: boolean
}

export class SegmentCursor implements SeriesCursor {
  current = -1
  readonly #source: SegmentSource
  readonly #directory: MeasurementDirectory
  /** By field wanted: its position in the segment, or -1. */
  readonly #fields: readonly number[]
  readonly #buffers: readonly ColumnBuffer[]
  #times = new Float64Array(0)
  #group = -1
  #run = 0
  #series: GroupSeries | undefined
  /** The group whose rows are decoded. */
  #decodedGroup = -1
  #decoded: Rows | undefined
  /** In seek mode: the next series to look for. */
  #target = 0
  readonly #seeks: boolean

  constructor(source: SegmentSource) {
    this.#source = source
    this.#directory = source.directory
    this.#fields = source.fields.map(({ name, type }) =>
      source.directory.fields.findIndex((field) => field.name === name && field.type === type),
    )
    this.#buffers = this.#fields.map(() => new ColumnBuffer())
    const { ids } = source.selection
    this.#seeks = ids !== undefined && ids.length * 8 < source.directory.groupCount + 64
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
      // A long series goes on in the next groups: these are its pieces, not another series.
    } while (this.current === before || !this.#source.selection.has(this.current))
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

  #seek(series: number): boolean {
    const directory = this.#directory
    const { keys } = this.#source
    let low = 0
    let high = directory.groupCount
    while (low < high) {
      const middle = (low + high) >>> 1
      if (compareSeries(keys, directory.lastSeries[middle], series) < 0) low = middle + 1
      else high = middle
    }
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
    const untouched = minOffset === directory.minOffsets[g] && maxOffset === directory.maxOffsets[g]
    const single = directory.seriesCounts[g] === 1
    pieces.push({
      base: this.#source.base,
      minOffset,
      maxOffset,
      rank: this.#source.rank,
      statistics: single && untouched ? this.#statistics(g) : undefined,
      load: () => {
        const rows = this.#decode(g)
        if (untouched) return { rows, start, stop }
        return {
          rows,
          start: lowerBound(rows.offsets, start, stop, fromOffset),
          stop: lowerBound(rows.offsets, start, stop, toOffset),
        } satisfies LoadedRows
      },
    })
  }

  #statistics(g: number): PieceStatistics {
    const directory = this.#directory
    const at = (field: number) => g * directory.fields.length + this.#fields[field]
    return {
      rowCount: directory.rowCounts[g],
      valueCount: (field) => (this.#fields[field] < 0 ? 0 : directory.valueCounts[at(field)]),
      range: (field) => {
        if (this.#fields[field] < 0) return undefined
        if (directory.statistics[at(field)] === statisticsNone) return undefined
        return { min: directory.mins[at(field)], max: directory.maxs[at(field)] }
      },
      sum: (field) => {
        if (this.#fields[field] < 0 || directory.statistics[at(field)] < statisticsSum) {
          return undefined
        }
        return directory.sums[at(field)]
      },
    }
  }

  #decode(g: number): Rows {
    if (this.#decodedGroup === g) return this.#decoded!
    const { reader } = this.#source
    const rowCount = this.#directory.rowCounts[g]
    if (this.#times.length < rowCount) this.#times = new Float64Array(Math.max(4096, rowCount))
    const columns = reader.readGroup(this.#directory, g, this.#fields, this.#times, this.#buffers)
    const magnitudes = this.#fields.map((field) => this.#magnitude(g, field))
    this.#decoded = { rowCount, offsets: this.#times, columns, magnitudes }
    this.#decodedGroup = g
    return this.#decoded
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
    const rows = this.#decode(g)
    const { ids, ends } = this.#series!
    this.#run = this.#series!.count
    this.current = directory.lastSeries[g]
    this.#stepNext()
    return { base: this.#source.base, rows, seriesIds: ids, ends }
  }
}
