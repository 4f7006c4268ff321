// Reads a segment. Opening checks header, footer and directory; a block is checked against its CRC
// when it is read, so that damage is reported with file and offset and everything else stays
// readable. Threads that share scans come to the same blocks again and again, and check each once in a minute, whoever
// of them comes first: bytes that were read so lately hardly ever come from the disk again but from the page cache. To
// check takes as long as to read, and a fifth of a scan that wants a few rows of every group.
//
// Reads are synchronous: a block is a few kilobytes and nearly always in the page cache, where a
// read takes 3 µs and a trip through the thread pool 50.

import { crc32 } from 'node:zlib'
import type { Column } from '../../../column/column.js'
import { CorruptionError } from '../../../errors.js'
import type { Disk, DiskFile } from '../../../platform/disk.js'
import { ByteReader } from '../encoding/byte-reader.js'
import { ColumnBuffer, readColumn } from '../encoding/column-block.js'
import { readIntegers } from '../encoding/integer-block.js'
import { readTimes, type TimeBuffer } from '../encoding/time-buffer.js'
import { BlockCache, type FileBlocks, type GroupSeries } from './block-cache.js'
import { type Directory, type MeasurementDirectory, readDirectory } from './directory.js'
import {
  segmentFooterBytes,
  segmentHeaderBytes,
  segmentMagic,
  segmentVersion,
  segmentVersionMin,
} from './format.js'
import type { RowCut, SearchableTimes } from './row-cut.js'

const firstBufferBytes = 1 << 16

/** Up to here reading what is not needed costs less than another call. */
const togetherBytesMax = 1 << 14

/** So much is read at once of a file that is read from front to back. */
const aheadBytesMax = 1 << 16

const noNumbers = new Float64Array(0)

/** For those who read a file once. */
const noCache = new BlockCache(0)

export class SegmentReader {
  readonly file: DiskFile
  #path: string
  #directory: Directory
  /** What was read last, bytes `#from` up to `#to` of the file; the block reader looks at it. */
  #bytes = new Uint8Array(firstBufferBytes)
  #reader: ByteReader
  #from = 0
  #to = 0
  /** Where blocks begin that were checked since: series that share a group come to the same ones in turn. */
  readonly #checked: number[] = []
  /** So many count: to empty a list, or a set, costs as much as to fill it again. */
  #checkedCount = 0
  /** The time block that was opened since, and what holds it: to open it takes as long as to read a series of it. */
  #openTimes: TimeBuffer | undefined
  #openTimesAt = 0
  /** Where series of a group are decoded to. */
  #numbers = noNumbers
  readonly #cache: BlockCache
  readonly #blocks: FileBlocks
  /** Blocks that were checked in this minute are taken as they are; 0: none is. */
  readonly #minute: number

  private constructor(file: DiskFile, directory: Directory, cache: BlockCache, minute = 0) {
    this.file = file
    this.#path = file.path
    this.#directory = directory
    this.#reader = new ByteReader(this.#bytes, file.path)
    this.#cache = cache
    this.#blocks = cache.openFile()
    this.#minute = minute
  }

  static async open(disk: Disk, path: string, cache = noCache): Promise<SegmentReader> {
    const file = await disk.open(path, 'read')
    try {
      return new SegmentReader(file, openDirectory(file), cache)
    } catch (error) {
      await file.close()
      throw error
    }
  }

  /**
   * A segment that somebody else has opened and checked: what is known of a measurement need not be read again. It is
   * to be read in this minute (see `checkMinute`).
   */
  static async openKnown(
    disk: Disk,
    path: string,
    base: bigint,
    measurement: MeasurementDirectory,
    minute: number,
  ): Promise<SegmentReader> {
    const measurements = new Map([[measurement.name, measurement]])
    return new SegmentReader(await disk.open(path, 'read'), { base, measurements }, noCache, minute)
  }

  /** Where the file is found now. */
  get path(): string {
    return this.#path
  }

  /** The file has got another name since it was opened. */
  movedTo(path: string): void {
    this.#path = path
    this.#reader = new ByteReader(this.#bytes, path, this.#from)
  }

  get directory(): Directory {
    return this.#directory
  }

  /** Blocks that are asked for again may be at hand without a read. */
  get isCaching(): boolean {
    return this.#cache !== noCache
  }

  /** Drops the directory too: what was prepared for the file may be kept for longer than the file. */
  async close(): Promise<void> {
    this.#directory = { base: this.#directory.base, measurements: new Map() }
    this.#cache.closeFile(this.#blocks)
    await this.file.close()
  }

  readSeries(directory: MeasurementDirectory, g: number): GroupSeries {
    const count = directory.seriesCounts[g]
    if (count === 1) {
      return {
        ids: directory.firstSeries.subarray(g, g + 1),
        ends: directory.rowCounts.subarray(g, g + 1),
        count,
      }
    }
    const { seriesAt, seriesBytes, seriesCrcs, checkMinutes } = directory
    const block = this.#block(seriesAt[g], seriesBytes[g], seriesCrcs[g], checkMinutes, g)
    if (this.#numbers.length < count) this.#numbers = new Float64Array(count)
    const numbers = this.#numbers
    const ids = new Uint32Array(count)
    const ends = new Uint32Array(count)
    readIntegers(block, count, numbers)
    for (let i = 0; i < count; i++) ids[i] = numbers[i]
    readIntegers(block, count, numbers)
    let end = 0
    for (let i = 0; i < count; i++) {
      end += numbers[i]
      ends[i] = end
    }
    if (end !== directory.rowCounts[g]) block.fail('rows of the series do not add up')
    return { ids, ends, count }
  }

  /** The same for those who look for one of them, and may come back. */
  cachedSeries(directory: MeasurementDirectory, g: number): GroupSeries {
    const at = directory.seriesAt[g]
    const cached = this.#cache.find(this.#blocks, at)
    if (cached !== undefined) return cached as GroupSeries
    const series = this.readSeries(directory, g)
    const bytes = series.ids.byteLength + series.ends.byteLength
    if (this.#cache.wants(this.#blocks, at, bytes)) this.#cache.add(this.#blocks, at, series)
    return series
  }

  /** The times of a group, where they are cached or have become worth it: to be looked at, not to be handed out. */
  cachedTimes(
    directory: MeasurementDirectory,
    g: number,
    series: GroupSeries | undefined,
  ): Float64Array | undefined {
    const at = directory.timeAt[g]
    const cached = this.#cache.find(this.#blocks, at)
    if (cached !== undefined) return (cached as Column).values as Float64Array
    if (!this.#cache.wants(this.#blocks, at, 8 * directory.rowCounts[g])) return undefined
    const block = this.#timeBlock(directory, g)
    const times = readTimes(block, directory.rowCounts[g], series)
    this.#cache.add(this.#blocks, at, { type: 'integer', values: times, validity: undefined })
    return times
  }

  /** The same for a column; there is a block for it. */
  cachedColumn(directory: MeasurementDirectory, g: number, field: number): Column | undefined {
    const c = g * directory.fields.length + field
    const at = directory.columnAt[c]
    const cached = this.#cache.find(this.#blocks, at) as Column | undefined
    if (cached !== undefined) return cached
    if (!this.#cache.wants(this.#blocks, at, 8 * directory.rowCounts[g])) return undefined
    const block = this.#columnBlock(directory, c)
    const column = readColumn(block, directory.rowCounts[g], new ColumnBuffer())
    this.#cache.add(this.#blocks, at, column)
    return column
  }

  /**
   * Times (where there is a buffer for them) and the columns asked for of a group into `columns`; a field of -1 is left
   * alone. Blocks of a group lie one behind the other: where little else lies between those asked for, they come in one
   * read. Only the rows of the cut get times and values; with the times it is narrowed to those in its time range.
   */
  readGroup(
    directory: MeasurementDirectory,
    g: number,
    fields: readonly number[],
    times: TimeBuffer | undefined,
    buffers: readonly (ColumnBuffer | undefined)[],
    columns: (Column | undefined)[],
    series: GroupSeries | undefined,
    cut: RowCut,
  ): void {
    const { columnBytes, timeAt, timeBytes } = directory
    const width = directory.fields.length
    const start = times === undefined ? Number.POSITIVE_INFINITY : timeAt[g]
    const wanted = times === undefined ? 0 : timeBytes[g]
    this.#fillTogether(directory, g, fields, start, wanted)
    const rowCount = directory.rowCounts[g]
    if (times !== undefined) {
      cut.narrow(this.#openTimesOf(directory, g, times, series))
      times.read(cut.start, cut.stop)
    }
    if (cut.start === cut.stop) return
    for (let f = 0; f < fields.length; f++) {
      const c = g * width + fields[f]
      if (fields[f] < 0 || columnBytes[c] === 0) continue
      const block = this.#columnBlock(directory, c)
      columns[f] = readColumn(block, rowCount, buffers[f]!, cut.start, cut.stop)
    }
  }

  /** Blocks of a group that are about to be asked for, its series among them, in one read where they lie together. */
  readAhead(directory: MeasurementDirectory, g: number, fields: readonly number[]): void {
    const wanted = directory.seriesBytes[g] + directory.timeBytes[g]
    this.#fillTogether(directory, g, fields, directory.seriesAt[g], wanted)
  }

  /** `wanted` bytes from `start` on, and the columns behind them, unless too much else lies between. */
  #fillTogether(
    { columnAt, columnBytes, fields: { length: width } }: MeasurementDirectory,
    g: number,
    fields: readonly number[],
    start: number,
    wanted: number,
  ): void {
    let from = start
    let end = wanted === 0 ? 0 : start + wanted
    let bytes = wanted
    for (let f = 0; f < fields.length; f++) {
      const c = g * width + fields[f]
      if (fields[f] < 0 || columnBytes[c] === 0) continue
      from = Math.min(from, columnAt[c])
      end = Math.max(end, columnAt[c] + columnBytes[c])
      bytes += columnBytes[c]
    }
    const span = end - from
    if (span > 0 && (span <= togetherBytesMax || span <= 2 * bytes)) this.#fill(from, span)
  }

  #openTimesOf(
    directory: MeasurementDirectory,
    g: number,
    times: TimeBuffer,
    series: GroupSeries | undefined,
  ): SearchableTimes {
    const { timeAt, rowCounts } = directory
    const block = this.#timeBlock(directory, g)
    if (this.#openTimes === times && this.#openTimesAt === timeAt[g]) return times.opened
    const opened = times.open(block, rowCounts[g], series)
    this.#openTimes = times
    this.#openTimesAt = timeAt[g]
    return opened
  }

  /** Throws CorruptionError where a block on the disk is not what was written, whatever was read before. */
  check(offset: number, byteLength: number, crc: number): void {
    this.#to = this.#from
    this.#block(offset, byteLength, crc, new Uint16Array(1), 0)
  }

  #timeBlock(directory: MeasurementDirectory, g: number): ByteReader {
    const { timeAt, timeBytes, timeCrcs, checkMinutes, groupCount } = directory
    return this.#block(timeAt[g], timeBytes[g], timeCrcs[g], checkMinutes, groupCount + g)
  }

  /** `c`: group * number of fields + field. */
  #columnBlock(directory: MeasurementDirectory, c: number): ByteReader {
    const { columnAt, columnBytes, columnCrcs, checkMinutes, groupCount } = directory
    return this.#block(columnAt[c], columnBytes[c], columnCrcs[c], checkMinutes, 2 * groupCount + c)
  }

  /** The reader, set to a checked block. `minutes[block]`: when that was done last. */
  #block(
    offset: number,
    byteLength: number,
    crc: number,
    minutes: Uint16Array,
    block: number,
  ): ByteReader {
    this.#fill(offset, byteLength)
    const start = offset - this.#from
    const minute = this.#minute
    if ((minute === 0 || minutes[block] !== minute) && !this.#isChecked(offset)) {
      if (crc32(this.#bytes.subarray(start, start + byteLength)) !== crc) {
        throw new CorruptionError(this.#path, offset, 'wrong checksum')
      }
      this.#checked[this.#checkedCount++] = offset
      if (minute !== 0) minutes[block] = minute
    }
    this.#reader.select(start, start + byteLength)
    return this.#reader
  }

  #isChecked(offset: number): boolean {
    for (let i = 0; i < this.#checkedCount; i++) if (this.#checked[i] === offset) return true
    return false
  }

  /** Unless they are there. Blocks start on multiples of 4 in the file, and so they do in the buffer. */
  #fill(offset: number, byteLength: number): void {
    if (offset >= this.#from && offset + byteLength <= this.#to) return
    const wanted = Math.max(byteLength, this.#aheadBytes(offset))
    if (wanted > this.#bytes.length) {
      this.#bytes = new Uint8Array(Math.max(byteLength * 2, aheadBytesMax))
      this.#reader = new ByteReader(this.#bytes, this.#path)
    }
    this.#checkedCount = 0
    this.#openTimes = undefined
    this.#to = this.#from
    const read = this.file.readSync(this.#bytes.subarray(0, wanted), offset)
    if (read < byteLength) throw new CorruptionError(this.#path, offset, 'block is cut off')
    this.#from = offset
    this.#to = offset + read
    this.#reader.fileOffset = offset
  }

  /** Twice as much as last time where somebody goes through the file, which costs more calls than bytes otherwise. */
  #aheadBytes(offset: number): number {
    const before = this.#to - this.#from
    const isNext = offset >= this.#from && offset <= this.#to + togetherBytesMax && before > 0
    return isNext ? Math.min(before * 2, aheadBytesMax) : 0
  }
}

/** The number of the minute that a moment lies in, as readers are told it: never 0, and again after some weeks. */
export function checkMinute(now: bigint): number {
  return Number((now / 60_000_000_000n) % 0xffffn) + 1
}

function openDirectory(file: DiskFile): Directory {
  const size = file.size()
  if (size < segmentHeaderBytes + segmentFooterBytes) {
    throw new CorruptionError(file.path, size, 'segment is cut off')
  }
  const header = readPart(file, 0, segmentHeaderBytes)
  if (header.i64() !== segmentMagic) header.fail('not a segment')
  checkVersion(header)
  const manifest = header.u32()
  const footer = readPart(file, size - segmentFooterBytes, segmentFooterBytes)
  const offset = Number(footer.i64())
  const byteLength = footer.u32()
  const crc = footer.u32()
  checkVersion(footer)
  if (footer.u32() !== manifest) footer.fail('header and footer name different manifests')
  if (footer.i64() !== segmentMagic) footer.fail('segment has no footer')
  if (offset < 0 || offset + byteLength + segmentFooterBytes !== size) {
    footer.fail('directory lies outside the segment')
  }
  const bytes = readPart(file, offset, byteLength).bytes
  if (crc32(bytes) !== crc) {
    throw new CorruptionError(file.path, offset, 'wrong checksum of the directory')
  }
  return readDirectory(bytes, file.path, offset)
}

/** Under which manifest a segment was made; 0 where that cannot be read. */
export async function readManifestNumber(disk: Disk, path: string): Promise<number> {
  const file = await disk.open(path, 'read')
  try {
    const size = file.size()
    if (size < segmentHeaderBytes + segmentFooterBytes) return 0
    const header = readPart(file, segmentHeaderBytes - 4, 4).u32()
    const footer = readPart(file, size - 12, 4).u32()
    return header === footer ? header : 0
  } finally {
    await file.close()
  }
}

function readPart(file: DiskFile, offset: number, byteLength: number): ByteReader {
  const bytes = new Uint8Array(byteLength)
  const read = file.readSync(bytes, offset)
  return new ByteReader(bytes.subarray(0, read), file.path, offset)
}

function checkVersion(reader: ByteReader): void {
  const version = reader.u32()
  if (version < segmentVersionMin || version > segmentVersion) {
    reader.fail(`segment version ${version} is not known here`)
  }
}
