// Writes a segment: series by series in key order, measurement by measurement. Series with many
// rows are encoded straight from the arrays given; rows of small ones are collected until they fill
// a group. Nothing is durable before `finish` has resolved.

import { crc32 } from 'node:zlib'
import type { Column, FieldType } from '../../../column/column.js'
import { assert } from '../../../errors.js'
import type { DiskFile } from '../../../platform/disk.js'
import { ByteWriter } from '../encoding/byte-writer.js'
import { countPresent, type Summary, writeColumn } from '../encoding/column-block.js'
import { writeIntegers } from '../encoding/integer-block.js'
import { writeTimes } from '../encoding/time-block.js'
import { type Rows, RowsBuilder, slice } from '../rows/rows.js'
import {
  type BlockEntry,
  type ColumnEntry,
  type FieldEntry,
  type GroupEntry,
  statisticsNone,
  statisticsRange,
  statisticsSum,
  writeDirectory,
} from './directory.js'
import {
  groupRowsMax,
  groupRowsMin,
  segmentFooterBytes,
  segmentHeaderBytes,
  segmentMagic,
  segmentVersion,
} from './format.js'

/** Bytes of one write to the disk. */
const writeBytes = 1 << 19

export interface SegmentSummary {
  readonly byteLength: number
  readonly rowCount: number
  /** Offsets from the base time. */
  readonly minOffset: number
  readonly maxOffset: number
}

interface OpenMeasurement {
  readonly name: string
  readonly fields: readonly FieldEntry[]
  readonly groups: GroupEntry[]
}

export class SegmentWriter {
  readonly #file: DiskFile
  readonly #base: bigint
  readonly #manifest: number
  readonly #writer = new ByteWriter(writeBytes * 2)
  /** Bytes of the file already handed to the disk; the writer holds what follows. */
  #flushed = 0
  readonly #measurements: OpenMeasurement[] = []
  #pending = new RowsBuilder([])
  #pendingSeries: number[] = []
  #pendingRows: number[] = []
  #rowCount = 0
  #minOffset = Number.POSITIVE_INFINITY
  #maxOffset = Number.NEGATIVE_INFINITY

  /** `manifest`: the number of the one in force. */
  constructor(file: DiskFile, base: bigint, manifest: number) {
    this.#file = file
    this.#base = base
    this.#manifest = manifest
    this.#writer.i64(segmentMagic)
    this.#writer.u32(segmentVersion)
    this.#writer.u32(manifest)
    assert(this.#writer.length === segmentHeaderBytes, 'segment header has its size')
  }

  get rowCount(): number {
    return this.#rowCount
  }

  beginMeasurement(name: string, fields: readonly FieldEntry[]): void {
    this.#flushPending()
    this.#measurements.push({ name, fields, groups: [] })
    this.#pending = new RowsBuilder(fields.map((field): FieldType => field.type))
  }

  /**
   * Rows of one series, strictly ascending in time; series come in key order, each once. `isPart`: of a series whose
   * rows come in several calls, one after the other.
   */
  async addSeries(series: number, rows: Rows, isPart = false): Promise<void> {
    if (rows.rowCount === 0) return
    this.#rowCount += rows.rowCount
    if (isPart || rows.rowCount >= groupRowsMin) this.#writeSeries(series, rows)
    else this.#collect(series, rows)
    if (this.#writer.length >= writeBytes) await this.#flushBytes()
  }

  /** Rows of some series at once, in key order and each ascending in time, few enough for one group. */
  async addGroup(series: number[], seriesRows: number[], rows: Rows): Promise<void> {
    this.#rowCount += rows.rowCount
    this.#flushPending()
    this.#writeGroup(rows, series, seriesRows)
    if (this.#writer.length >= writeBytes) await this.#flushBytes()
  }

  #writeSeries(series: number, rows: Rows): void {
    this.#flushPending()
    const parts = Math.ceil(rows.rowCount / groupRowsMax)
    const size = Math.ceil(rows.rowCount / parts)
    for (let start = 0; start < rows.rowCount; start += size) {
      const stop = Math.min(start + size, rows.rowCount)
      this.#writeGroup(slice(rows, start, stop), [series], [stop - start])
    }
  }

  #collect(series: number, rows: Rows): void {
    if (this.#pending.rowCount + rows.rowCount > groupRowsMax) this.#flushPending()
    this.#pending.append(rows, 0, rows.rowCount)
    this.#pendingSeries.push(series)
    this.#pendingRows.push(rows.rowCount)
  }

  #flushPending(): void {
    if (this.#pending.rowCount === 0) return
    this.#writeGroup(this.#pending.rows(), this.#pendingSeries, this.#pendingRows)
    this.#pending.clear()
    this.#pendingSeries = []
    this.#pendingRows = []
  }

  #writeGroup(rows: Rows, series: number[], seriesRows: number[]): void {
    const measurement = this.#measurements[this.#measurements.length - 1]
    this.#writer.align4()
    const offset = this.#flushed + this.#writer.length
    const several = series.length > 1
    const count = series.length
    const ends = endsOf(seriesRows)
    const seriesBlock = several
      ? this.#block(() => {
          writeIntegers(this.#writer, Float64Array.from(series), series.length)
          writeIntegers(this.#writer, Float64Array.from(seriesRows), series.length)
        })
      : undefined
    const time = this.#block(() =>
      writeTimes(this.#writer, rows.offsets, rows.rowCount, { ends, count }),
    )
    const columns = rows.columns.map((column) => this.#column(column, rows.rowCount))
    const { minOffset, maxOffset } = extentOf(rows.offsets, ends)
    this.#minOffset = Math.min(this.#minOffset, minOffset)
    this.#maxOffset = Math.max(this.#maxOffset, maxOffset)
    measurement.groups.push({
      offset,
      rowCount: rows.rowCount,
      seriesCount: series.length,
      firstSeries: series[0],
      lastSeries: series[series.length - 1],
      minOffset,
      maxOffset,
      series: seriesBlock,
      time,
      columns,
    })
  }

  #column(column: Column | undefined, rowCount: number): ColumnEntry | undefined {
    if (column === undefined) return undefined
    const valueCount = countPresent(column.validity, rowCount)
    if (valueCount === 0) return undefined
    let summary: Summary | undefined
    const block = this.#block(() => {
      summary = writeColumn(this.#writer, column, rowCount, valueCount)
    })
    return { ...block, valueCount, ...statisticsOf(column.type, valueCount, summary) }
  }

  #block(write: () => void): BlockEntry {
    this.#writer.align4()
    const start = this.#writer.length
    write()
    this.#writer.align4()
    const bytes = this.#writer.written(start)
    return { byteLength: bytes.length, crc: crc32(bytes) }
  }

  /** Writes directory and footer and makes the file durable. */
  async finish(): Promise<SegmentSummary> {
    this.#flushPending()
    this.#writer.align4()
    const start = this.#writer.length
    const offset = this.#flushed + start
    const measurements = this.#measurements.filter((m) => m.groups.length > 0)
    writeDirectory(this.#writer, this.#base, measurements)
    const directory = this.#writer.written(start)
    const crc = crc32(directory)
    const byteLength = directory.length
    this.#writer.i64(BigInt(offset))
    this.#writer.u32(byteLength)
    this.#writer.u32(crc)
    this.#writer.u32(segmentVersion)
    this.#writer.u32(this.#manifest)
    this.#writer.i64(segmentMagic)
    assert(
      this.#flushed + this.#writer.length === offset + byteLength + segmentFooterBytes,
      'segment footer has its size',
    )
    await this.#flushBytes()
    await this.#file.sync()
    return {
      byteLength: this.#flushed,
      rowCount: this.#rowCount,
      minOffset: this.#minOffset,
      maxOffset: this.#maxOffset,
    }
  }

  async #flushBytes(): Promise<void> {
    await this.#file.write([this.#writer.written()], this.#flushed)
    this.#flushed += this.#writer.length
    this.#writer.clear()
  }
}

function endsOf(seriesRows: readonly number[]): Uint32Array {
  const ends = new Uint32Array(seriesRows.length)
  let end = 0
  for (let i = 0; i < ends.length; i++) {
    end += seriesRows[i]
    ends[i] = end
  }
  return ends
}

/** Of times that rise within each series. */
function extentOf(offsets: Float64Array, ends: Uint32Array) {
  let minOffset = Number.POSITIVE_INFINITY
  let maxOffset = Number.NEGATIVE_INFINITY
  for (let s = 0, start = 0; s < ends.length; start = ends[s++]) {
    if (offsets[start] < minOffset) minOffset = offsets[start]
    if (offsets[ends[s] - 1] > maxOffset) maxOffset = offsets[ends[s] - 1]
  }
  return { minOffset, maxOffset }
}

type Statistics = Pick<ColumnEntry, 'statistics' | 'min' | 'max' | 'sum'>

const noStatistics: Statistics = { statistics: statisticsNone, min: 0, max: 0, sum: 0 }

/** A sum of integers that may not be exact is left out. */
function statisticsOf(
  type: FieldType,
  valueCount: number,
  summary: Summary | undefined,
): Statistics {
  if (summary === undefined) return noStatistics
  const { min, max, sum } = summary
  const magnitude = valueCount * Math.max(Math.abs(min), Math.abs(max))
  const exact = type === 'float' || magnitude <= Number.MAX_SAFE_INTEGER
  return { statistics: exact ? statisticsSum : statisticsRange, min, max, sum }
}
