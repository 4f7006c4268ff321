// The state of one parse: the bytes, the place in them, and what the functions of this room tell
// each other. One object of one shape, used for every request, so that the hot loops stay
// monomorphic and allocate nothing.

import { viewOf } from '../column/byte-table.js'
import type { BuilderPool } from './builder-pool.js'
import { KeyScanner } from './key-scanner.js'
import { noTable, TableBuilder } from './table-builder.js'
import { TimeScale } from './time-scale.js'
import type { Measurement, Vocabulary } from './vocabulary.js'

/**
 * Rows of a table at first; a power of two. Arrays of up to 64 bytes lie in V8's own heap and cost a tenth of larger
 * ones, which counts where a request has thousands of measurements.
 */
export const rowsMin = 8
export const rowsAtFirstMax = 1 << 14

export class Scan {
  readonly builders: BuilderPool
  vocabulary: Vocabulary
  /**
   * The bytes being read; the last one before `limit` is a newline, so that scans for one need no
   * bounds check.
   */
  bytes: Uint8Array = new Uint8Array(0)
  view = viewOf(this.bytes)
  /** The same bytes for making strings: several times faster than a decoder for short ASCII. */
  text: Buffer = Buffer.from(this.bytes.buffer)
  limit = 0
  scale = new TimeScale('ns', 0n)
  /** Number of the current line, and how many more newlines it has in quotes. */
  line = 1
  linesInside = 0
  /** Why the current line is bad. */
  reason = ''
  /** A position found by the function called last, beside its result. */
  at = 0
  /** The current row's, in nanoseconds. */
  time = 0n
  /** The table that the current line, or the last one, writes to. */
  table: TableBuilder = noTable
  /** The current line added the last series of the vocabulary. */
  isSeriesNew = false
  /** Measurements with rows in this batch, and all tables, in order of their first line. */
  measurements: Measurement[] = []
  tables: TableBuilder[] = []
  /** Measurements that one batch may have: each costs some kilobytes here and in the store. */
  measurementsMax = Number.POSITIVE_INFINITY
  /** Fields of all its tables: each is a column, of some hundred bytes before its first value. */
  fieldsMax = Number.POSITIVE_INFINITY
  /** Rows that a table has room for at first, at most. */
  rowsAtFirstMax = rowsAtFirstMax
  readonly key = new KeyScanner()

  constructor(builders: BuilderPool, vocabulary: Vocabulary) {
    this.builders = builders
    this.vocabulary = vocabulary
  }

  /** `bytes` up to `limit` end with a newline. */
  setBytes(bytes: Uint8Array, limit: number): void {
    this.bytes = bytes
    this.view = viewOf(bytes)
    this.text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.limit = limit
  }

  /** A table with room for one more row. */
  roomyTable(measurement: Measurement): TableBuilder {
    const { table } = measurement
    if (table === noTable) {
      this.measurements.push(measurement)
      this.builders.tally.meet(measurement)
    } else if (table.makeRoom()) return table
    else {
      table.detach()
      measurement.rowsLast = 0
    }
    return this.addTable(measurement)
  }

  addTable(measurement: Measurement): TableBuilder {
    let capacity = rowsMin
    while (capacity < measurement.rowsLast && capacity < this.rowsAtFirstMax) capacity *= 2
    const table = new TableBuilder(measurement.name, this.builders, capacity)
    this.tables.push(table)
    measurement.table = table
    return table
  }
}
