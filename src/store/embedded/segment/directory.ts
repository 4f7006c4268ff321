// A segment's directory: for every measurement its fields, for every row group its place, series,
// time span, and per column the place, checksum and statistics. Kept in typed arrays: reading plans
// over many groups without objects.
//
//   i64 base time; varint number of measurements; per measurement:
//     text name; varint number of fields; per field: text name, u8 type
//     varint number of groups; per group:
//       varint offset in the file, varint rows, varint series, varint first series, varint last series,
//       varint first time offset, varint last time offset - first
//       series > 1: varint byte length of the series block, u32 CRC
//       varint byte length of the time block, u32 CRC
//       per field: varint byte length of the column block (0: no row has a value), and if not 0:
//         u32 CRC, varint number of values, u8 statistics (0 none, 1 min and max, 2 also sum), f64 each

import { type FieldType, fieldTypes } from '../../../column/column.js'
import { ByteReader } from '../encoding/byte-reader.js'
import type { ByteWriter } from '../encoding/byte-writer.js'

export interface FieldEntry {
  readonly name: string
  readonly type: FieldType
}

/** What the statistics of a column block hold. Persisted: never change. */
export const statisticsNone = 0
export const statisticsRange = 1
export const statisticsSum = 2

export interface BlockEntry {
  readonly byteLength: number
  readonly crc: number
}

export interface ColumnEntry extends BlockEntry {
  readonly valueCount: number
  readonly statistics: number
  readonly min: number
  readonly max: number
  readonly sum: number
}

export interface GroupEntry {
  readonly offset: number
  readonly rowCount: number
  readonly seriesCount: number
  readonly firstSeries: number
  readonly lastSeries: number
  readonly minOffset: number
  readonly maxOffset: number
  readonly series: BlockEntry | undefined
  readonly time: BlockEntry
  readonly columns: readonly (ColumnEntry | undefined)[]
}

export interface MeasurementEntry {
  readonly name: string
  readonly fields: readonly FieldEntry[]
  readonly groups: readonly GroupEntry[]
}

export function writeDirectory(
  writer: ByteWriter,
  base: bigint,
  measurements: readonly MeasurementEntry[],
): void {
  writer.i64(base)
  writer.varint(measurements.length)
  for (const measurement of measurements) {
    writer.text(measurement.name)
    writer.varint(measurement.fields.length)
    for (const field of measurement.fields) {
      writer.text(field.name)
      writer.u8(fieldTypes.indexOf(field.type))
    }
    writer.varint(measurement.groups.length)
    for (const group of measurement.groups) writeGroup(writer, group)
  }
}

function writeGroup(writer: ByteWriter, group: GroupEntry): void {
  writer.varint(group.offset)
  writer.varint(group.rowCount)
  writer.varint(group.seriesCount)
  writer.varint(group.firstSeries)
  writer.varint(group.lastSeries)
  writer.varint(group.minOffset)
  writer.varint(group.maxOffset - group.minOffset)
  if (group.series !== undefined) writeBlock(writer, group.series)
  writeBlock(writer, group.time)
  for (const column of group.columns) {
    if (column === undefined) {
      writer.varint(0)
      continue
    }
    writeBlock(writer, column)
    writer.varint(column.valueCount)
    writer.u8(column.statistics)
    if (column.statistics >= statisticsRange) {
      writer.f64(column.min)
      writer.f64(column.max)
    }
    if (column.statistics >= statisticsSum) writer.f64(column.sum)
  }
}

function writeBlock(writer: ByteWriter, block: BlockEntry): void {
  writer.varint(block.byteLength)
  writer.u32(block.crc)
}

/** Bytes of a group and of a column block in the arrays of a MeasurementDirectory. */
const groupBytes = 4 * 8 + 8 * 4 + 2 * 2
const columnBytes = 4 * 8 + 3 * 4 + 2 + 1

/**
 * Data without methods, its arrays in one piece of shared memory: another thread gets the same arrays for some twenty
 * microseconds, where copies of a thousand groups take it six hundred.
 */
export class MeasurementDirectory {
  readonly name: string
  readonly fields: readonly FieldEntry[]
  readonly groupCount: number
  /** Of all groups together. */
  rowCount = 0
  minOffset = Number.POSITIVE_INFINITY
  maxOffset = Number.NEGATIVE_INFINITY
  readonly rowCounts: Uint32Array
  readonly seriesCounts: Uint32Array
  readonly firstSeries: Uint32Array
  readonly lastSeries: Uint32Array
  readonly minOffsets: Float64Array
  readonly maxOffsets: Float64Array
  /** Offset 0: no such block (the series block of a group of one series). */
  readonly seriesAt: Float64Array
  readonly seriesBytes: Uint32Array
  readonly seriesCrcs: Uint32Array
  readonly timeAt: Float64Array
  readonly timeBytes: Uint32Array
  readonly timeCrcs: Uint32Array
  /** By group * number of fields + field; byte length 0: no block. */
  readonly columnAt: Float64Array
  readonly columnBytes: Uint32Array
  readonly columnCrcs: Uint32Array
  readonly valueCounts: Uint32Array
  readonly statistics: Uint8Array
  readonly mins: Float64Array
  readonly maxs: Float64Array
  readonly sums: Float64Array
  /**
   * In which minute blocks were last compared with their checksums, by any thread (see reader.ts); 0: never. Series
   * blocks by group, then time blocks, then columns.
   */
  readonly checkMinutes: Uint16Array

  constructor(name: string, fields: readonly FieldEntry[], groupCount: number) {
    const columns = groupCount * fields.length
    this.name = name
    this.fields = fields
    this.groupCount = groupCount
    const memory = new SharedArrayBuffer(groupCount * groupBytes + columns * columnBytes)
    let used = 0
    const floats = (length: number) => {
      used += length * 8
      return new Float64Array(memory, used - length * 8, length)
    }
    const words = (length: number) => {
      used += length * 4
      return new Uint32Array(memory, used - length * 4, length)
    }
    // Wide numbers first: everything lies on a multiple of its size.
    this.minOffsets = floats(groupCount)
    this.maxOffsets = floats(groupCount)
    this.seriesAt = floats(groupCount)
    this.timeAt = floats(groupCount)
    this.columnAt = floats(columns)
    this.mins = floats(columns)
    this.maxs = floats(columns)
    this.sums = floats(columns)
    this.rowCounts = words(groupCount)
    this.seriesCounts = words(groupCount)
    this.firstSeries = words(groupCount)
    this.lastSeries = words(groupCount)
    this.seriesBytes = words(groupCount)
    this.seriesCrcs = words(groupCount)
    this.timeBytes = words(groupCount)
    this.timeCrcs = words(groupCount)
    this.columnBytes = words(columns)
    this.columnCrcs = words(columns)
    this.valueCounts = words(columns)
    const blockCount = 2 * groupCount + columns
    this.checkMinutes = new Uint16Array(memory, used, blockCount)
    this.statistics = new Uint8Array(memory, used + blockCount * 2, columns)
  }

  /** Whether a row of any group has the field. */
  hasField(name: string): boolean {
    const at = this.fields.findIndex((field) => field.name === name)
    if (at < 0) return false
    for (let group = 0; group < this.groupCount; group++) {
      if (this.columnBytes[group * this.fields.length + at] > 0) return true
    }
    return false
  }
}

/** The measurements of a segment by name. */
export interface MeasurementDirectories {
  get(name: string): MeasurementDirectory | undefined
  keys(): Iterable<string>
}

export interface Directory {
  readonly base: bigint
  readonly measurements: MeasurementDirectories
}

/**
 * With more measurements than this in a segment, what is known of each is read when it is asked for, and so many are
 * kept: arrays for ten thousand measurements were 30 MB a segment, fifty times the bytes of the directory.
 */
const measurementsReadMax = 64

export function readDirectory(bytes: Uint8Array, file: string, fileOffset: number): Directory {
  const reader = new ByteReader(bytes, file, fileOffset)
  const base = reader.i64()
  const count = reader.varint()
  if (count > measurementsReadMax) {
    return { base, measurements: new DirectoriesInBytes(reader, count) }
  }
  const measurements = new Map<string, MeasurementDirectory>()
  for (let i = 0; i < count; i++) {
    const measurement = readMeasurement(reader)
    measurements.set(measurement.name, measurement)
  }
  return { base, measurements }
}

/** Where each measurement's part of the directory begins, and what was read of those asked for lately. */
class DirectoriesInBytes implements MeasurementDirectories {
  readonly #reader: ByteReader
  readonly #starts = new Map<string, number>()
  /** The one asked for last comes last. */
  readonly #read = new Map<string, MeasurementDirectory>()

  constructor(reader: ByteReader, count: number) {
    this.#reader = reader
    for (let i = 0; i < count; i++) {
      const start = reader.offset
      this.#starts.set(reader.text(), start)
      skipMeasurement(reader)
    }
  }

  keys(): Iterable<string> {
    return this.#starts.keys()
  }

  get(name: string): MeasurementDirectory | undefined {
    let found = this.#read.get(name)
    if (found !== undefined) this.#read.delete(name)
    else {
      const start = this.#starts.get(name)
      if (start === undefined) return undefined
      this.#reader.offset = start
      found = readMeasurement(this.#reader)
    }
    this.#read.set(name, found)
    if (this.#read.size > measurementsReadMax) {
      const [oldest] = this.#read.keys()
      this.#read.delete(oldest)
    }
    return found
  }
}

/** Behind the name. */
function skipMeasurement(reader: ByteReader): void {
  const fieldCount = reader.varint()
  for (let f = 0; f < fieldCount; f++) {
    reader.raw(reader.varint())
    reader.u8()
  }
  const groupCount = reader.varint()
  for (let g = 0; g < groupCount; g++) skipGroup(reader, fieldCount)
}

function skipGroup(reader: ByteReader, fieldCount: number): void {
  reader.varint()
  reader.varint()
  const seriesCount = reader.varint()
  for (let i = 0; i < 4; i++) reader.varint()
  for (let i = seriesCount > 1 ? 0 : 1; i < 2; i++) {
    reader.varint()
    reader.u32()
  }
  for (let f = 0; f < fieldCount; f++) {
    if (reader.varint() === 0) continue
    reader.u32()
    reader.varint()
    const statistics = reader.u8()
    reader.offset += 8 * (statistics >= statisticsSum ? 3 : statistics >= statisticsRange ? 2 : 0)
  }
}

function readMeasurement(reader: ByteReader): MeasurementDirectory {
  const name = reader.text()
  const fieldCount = reader.varint()
  const fields: FieldEntry[] = []
  for (let f = 0; f < fieldCount; f++) {
    const field = { name: reader.text(), type: fieldTypes[reader.u8()] }
    if (field.type === undefined) reader.fail('unknown field type')
    fields.push(field)
  }
  const groupCount = reader.varint()
  if (groupCount > reader.remaining) reader.fail('more groups than bytes')
  const directory = new MeasurementDirectory(name, fields, groupCount)
  for (let g = 0; g < groupCount; g++) readGroup(reader, directory, g)
  return directory
}

function readGroup(reader: ByteReader, directory: MeasurementDirectory, g: number): void {
  let offset = reader.varint()
  directory.rowCounts[g] = reader.varint()
  directory.seriesCounts[g] = reader.varint()
  directory.firstSeries[g] = reader.varint()
  directory.lastSeries[g] = reader.varint()
  directory.minOffsets[g] = reader.varint()
  directory.maxOffsets[g] = directory.minOffsets[g] + reader.varint()
  directory.rowCount += directory.rowCounts[g]
  directory.minOffset = Math.min(directory.minOffset, directory.minOffsets[g])
  directory.maxOffset = Math.max(directory.maxOffset, directory.maxOffsets[g])
  if (directory.seriesCounts[g] > 1) {
    directory.seriesAt[g] = offset
    directory.seriesBytes[g] = reader.varint()
    directory.seriesCrcs[g] = reader.u32()
    offset += directory.seriesBytes[g]
  }
  directory.timeAt[g] = offset
  directory.timeBytes[g] = reader.varint()
  directory.timeCrcs[g] = reader.u32()
  offset += directory.timeBytes[g]
  const fieldCount = directory.fields.length
  for (let c = g * fieldCount; c < (g + 1) * fieldCount; c++) {
    const byteLength = reader.varint()
    if (byteLength === 0) continue
    directory.columnAt[c] = offset
    directory.columnBytes[c] = byteLength
    offset += byteLength
    directory.columnCrcs[c] = reader.u32()
    directory.valueCounts[c] = reader.varint()
    const statistics = reader.u8()
    directory.statistics[c] = statistics
    if (statistics >= statisticsRange) {
      directory.mins[c] = reader.f64()
      directory.maxs[c] = reader.f64()
    }
    if (statistics >= statisticsSum) directory.sums[c] = reader.f64()
  }
}
