// Line protocol bytes to columns. One parser serves one bucket: it keeps what it learnt (series,
// field names, what follows what) from request to request. A bad line becomes an error value and
// leaves nothing else behind.
//
// Memory: the vocabulary is bounded by `seriesBytesMax` and starts afresh beyond it; arrays of
// released batches wait in a bounded pool.

import type { Column } from '../column/column.js'
import type { WriteBatch, WriteTable } from '../column/write-batch.js'
import { BuilderPool } from './builder-pool.js'
import { carriageReturn, newline, skipBlanks } from './characters.js'
import type { FastLines } from './fast-lines.js'
import { diagnoseFields, fieldFormatReason, unbalancedReason } from './field-diagnosis.js'
import { findKeyEnd } from './key-scanner.js'
import { findLineEnd, type LineError, lineError, lineErrorsMax } from './line-error.js'
import { lineBad, lineEmpty, scanLine } from './line-scanner.js'
import { rowsAtFirstMax, rowsMin, Scan } from './scan.js'
import { noTable } from './table-builder.js'
import { type Precision, TimeScale } from './time-scale.js'
import { Vocabulary } from './vocabulary.js'
import type { WriteRest } from './write-tally.js'

export type { LineError } from './line-error.js'
export type { Precision } from './time-scale.js'
export type { WriteRest } from './write-tally.js'

export interface ParseResult {
  readonly batch: WriteBatch
  /** The first 100. */
  readonly errors: readonly LineError[]
  readonly errorCount: number
  /** Lines with a point, good or bad: neither blank nor a comment. */
  readonly lineCount: number
  /** What is left of the body, where its tables would take more than `tableBytesMax`. */
  readonly rest: WriteRest | undefined
}

export interface ParseOptions {
  readonly precision: Precision
  /** Nanoseconds since 1970, for lines without a timestamp. */
  readonly now: bigint
  /** Goes on where an earlier piece of the body ended. */
  readonly from?: WriteRest | undefined
  /** Once the tables take so many bytes the piece ends with the line. Absent: all of the body is one piece. */
  readonly tableBytesMax?: number
}

/** Of one request: lines of further ones are bad. Absent: any number. */
export interface ParserOptions {
  readonly seriesBytesMax?: number
  readonly measurementsMax?: number
  readonly fieldsMax?: number
  /** Keys of series lie in memory that threads share: batches are for another one. */
  readonly shared?: boolean
  /** What reads ordinary lines; absent: they are read as all others are. */
  readonly fastLines?: (scan: Scan) => FastLines
}

/** A million series of 60 bytes, or some more of that kind, before the parser forgets them. */
const seriesBytesMaxDefault = 128 << 20

/** Batches of 5,000 rows and 12 columns (0.8 MB each) of a dozen requests at once. */
const poolBytesMax = 12 << 20

/** What one write may add to the series that are kept, before its next piece begins with none. */
const seriesBytesPerWrite = 16 << 20

const noBytes = new Uint8Array(0)

export class LineProtocolParser {
  readonly #seriesBytesMax: number
  readonly #builders = new BuilderPool(poolBytesMax)
  readonly #pool = this.#builders.arrays
  readonly #isShared: boolean
  readonly #scan: Scan
  readonly #fast: FastLines | undefined
  /** Batches handed out: a second release of one must not pool its arrays twice. */
  readonly #live = new WeakSet<WriteBatch>()
  #errors: LineError[] = []
  #errorCount = 0
  #lineCount = 0
  #tableBytesMax = Number.POSITIVE_INFINITY

  constructor(options: ParserOptions = {}) {
    this.#seriesBytesMax = options.seriesBytesMax ?? seriesBytesMaxDefault
    this.#isShared = options.shared ?? false
    this.#scan = new Scan(this.#builders, new Vocabulary(this.#isShared))
    this.#scan.measurementsMax = options.measurementsMax ?? Number.POSITIVE_INFINITY
    this.#scan.fieldsMax = options.fieldsMax ?? Number.POSITIVE_INFINITY
    this.#fast = options.fastLines?.(this.#scan)
  }

  /** Memory kept from request to request. */
  get keptBytes(): number {
    return this.#scan.vocabulary.bytes + this.#pool.bytesHeld
  }

  parse(body: Uint8Array, options: ParseOptions): ParseResult {
    this.#begin(options)
    const start = options.from?.position ?? 0
    // Always a plain Uint8Array, never a Buffer: the hot loops then see one kind of array.
    const bytes = new Uint8Array(body.buffer, body.byteOffset + start, body.byteLength - start)
    const limit = bytes.lastIndexOf(newline) + 1
    let parsed = limit === 0 ? 0 : this.#parseLines(bytes, limit, limit === bytes.length)
    if (parsed < bytes.length && !this.#isFull) {
      // The last line has no newline: a copy gets one, so that no loop has to watch for the end.
      const rest = new Uint8Array(bytes.length - parsed + 1)
      rest.set(bytes.subarray(parsed))
      rest[rest.length - 1] = newline
      parsed += this.#parseLines(rest, rest.length, true)
    }
    const rest = parsed < bytes.length ? this.#rest(start + parsed) : undefined
    return this.#finish(rest, rest?.measurements ?? options.from?.measurements)
  }

  /** No further line belongs to this piece. */
  get #isFull(): boolean {
    return this.#builders.tableBytes > this.#tableBytesMax
  }

  #rest(position: number): WriteRest {
    const { measurements, line, tables } = this.#scan
    let filledCount = 0
    for (const table of tables) filledCount += table.filledColumns()
    return this.#builders.tally.restAt(position, line, measurements, filledCount)
  }

  /** Takes the arrays of a batch back. The caller must not look at the batch any more. */
  release(batch: WriteBatch): void {
    if (!this.#live.delete(batch)) return
    for (const table of batch.tables) {
      this.#pool.give(table.series)
      this.#pool.give(table.lines)
      this.#pool.give(table.times.offsets)
      for (const field of table.fields) this.#releaseColumn(field.column)
    }
  }

  #releaseColumn(column: Column): void {
    const { values, validity } = column
    if (!(values instanceof BigInt64Array || values instanceof BigUint64Array)) {
      this.#pool.give(values)
    }
    if (validity !== undefined) this.#pool.give(validity)
    if (column.type !== 'string') return
    this.#pool.give(column.dictionary.offsets)
    this.#pool.give(column.dictionary.bytes)
  }

  #begin(options: ParseOptions): void {
    const s = this.#scan
    // Tables are left over only if the last request ended in an exception, halfway.
    if (s.vocabulary.bytes > this.#seriesBytesMax || s.tables.length > 0) {
      s.vocabulary = new Vocabulary(this.#isShared)
      s.measurements = []
      s.tables = []
      s.table = noTable
    }
    const { series } = s.vocabulary
    // A write of nothing but new series would have them all here, and none of them may ever come again.
    if (
      options.from !== undefined &&
      series.bytes - options.from.seriesBytes > seriesBytesPerWrite
    ) {
      s.vocabulary.forgetSeries()
    }
    s.scale = new TimeScale(options.precision, options.now)
    s.line = options.from?.line ?? 1
    s.linesInside = 0
    // Tables of a further piece begin small: a thousand with room for as many rows as they had would end it at once.
    s.rowsAtFirstMax = options.from === undefined ? rowsAtFirstMax : rowsMin
    this.#tableBytesMax = options.tableBytesMax ?? Number.POSITIVE_INFINITY
    this.#builders.tableBytes = 0
    this.#builders.tally.begin(options.from, s.vocabulary.series.bytes)
    this.#errors = []
    this.#errorCount = 0
    this.#lineCount = 0
  }

  /**
   * Parses the lines before `limit`, which is right after a newline. Answers `limit`, or the start
   * of a line that does not end before it because a quote is still open, unless these are the last
   * bytes, or the first line that the piece has no room for.
   */
  #parseLines(bytes: Uint8Array, limit: number, isLast: boolean): number {
    const s = this.#scan
    s.setBytes(bytes, limit)
    this.#fast?.begin()
    const end = this.#scanLines(limit, isLast)
    this.#lineCount += this.#fast?.end() ?? 0
    return end
  }

  #scanLines(limit: number, isLast: boolean): number {
    const s = this.#scan
    let pos = 0
    while (pos < limit) {
      if (this.#isFull) return pos
      pos = this.#fast?.read(pos) ?? pos
      if (pos === limit || this.#isFull) return pos
      const start = pos
      const result = scanLine(s, pos)
      if (result === lineBad) {
        const next = this.#reject(pos, isLast)
        if (next < 0) return pos
        pos = next
        continue
      }
      s.line += 1 + s.linesInside
      s.linesInside = 0
      pos = s.at
      if (result === lineEmpty) continue
      this.#lineCount++
      this.#fast?.learn(start, result)
    }
    return limit
  }

  /** The start of the line after the bad one, or -1 if its end lies in bytes still to come. */
  #reject(lineStart: number, isLast: boolean): number {
    const s = this.#scan
    if (s.isSeriesNew) s.vocabulary.series.removeLast()
    s.table.rollBack()
    s.linesInside = 0
    const start = skipBlanks(s.bytes, lineStart)
    // An open quote swallows all that follows. Only so is the text after it read once and not once
    // per line.
    const isOpen = s.reason === unbalancedReason
    const end = isOpen ? s.limit : findLineEnd(s.bytes, start, s.at, s.limit)
    if (end === s.limit && !isLast) return -1
    const lineEnd = Math.min(end, s.limit - 1)
    const hasReturn = lineEnd > start && s.bytes[lineEnd - 1] === carriageReturn
    const textEnd = hasReturn ? lineEnd - 1 : lineEnd
    if (this.#errors.length < lineErrorsMax) {
      if (s.reason === fieldFormatReason) s.reason = this.#diagnose(start, textEnd)
      this.#errors.push(lineError(s.bytes, start, textEnd, s.line, s.reason))
    }
    this.#errorCount++
    this.#lineCount++
    for (let i = start; i <= lineEnd; i++) if (s.bytes[i] === newline) s.line++
    return lineEnd + 1
  }

  #diagnose(start: number, lineEnd: number): string {
    const { bytes } = this.#scan
    return diagnoseFields(bytes, skipBlanks(bytes, findKeyEnd(bytes, start)), lineEnd)
  }

  /** `write`: of one that comes in pieces. */
  #finish(rest: WriteRest | undefined, write: object | undefined): ParseResult {
    const s = this.#scan
    const tables: WriteTable[] = []
    let pointCount = 0
    for (const measurement of s.measurements) {
      measurement.table.detach()
      measurement.rowsLast = measurement.table.rowCount
      measurement.parked = undefined
      measurement.table = noTable
    }
    for (const table of s.tables) {
      if (table.rowCount === 0) continue
      pointCount += table.rowCount
      tables.push(table.finish(s.vocabulary.series))
    }
    s.measurements = []
    s.tables = []
    s.table = noTable
    // The body must not stay in memory until the next request comes.
    s.setBytes(noBytes, 0)
    const batch: WriteBatch = { tables, pointCount, write }
    this.#live.add(batch)
    return {
      batch,
      errors: this.#errors,
      errorCount: this.#errorCount,
      lineCount: this.#lineCount,
      rest,
    }
  }
}
