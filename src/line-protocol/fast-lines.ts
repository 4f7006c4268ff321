// Reads lines that are as the ones before them, many at a time, by the kernels; the first one that is not is left to
// `line-scanner.ts`, and what that line has opened is told to the kernels then. Nothing depends on a line being read
// here, only the speed.
//
// Rows wait in the kernels' memory until they are brought into the tables that the parser has opened, in the order of
// their lines: always before another line is read elsewhere. So a table never gets more rows than it has room for, and
// no column that it does not have.

import { equalRange } from '../column/byte-table.js'
import { timeMax } from '../column/time.js'
import { newline } from './characters.js'
import {
  type ColumnBuilder,
  copyRows,
  kindInteger,
  kindString,
  kindWide,
} from './column-builder.js'
import type { FieldName } from './field-name.js'
import { atEnd, atFullTable, atNewKey, type LineKernels, lineKernels } from './line-kernels.js'
import type { Scan } from './scan.js'
import type { TableBuilder } from './table-builder.js'
import type { Vocabulary } from './vocabulary.js'

const bodyBytesMinDefault = 512

/** After so many unusual lines, if they are more than a quarter, the rest of the body is read without. */
const unusualMin = 32

/** Longer keys and names are the parser's, which asks whether both together are too long. */
const nameBytesMax = 30_000

/** No kind of a column: only the kernels tell it from `kindWide`. */
const kindWideUnsigned = 7

/** No value is of this kind; what a column has when a batch begins. */
const noKind = 255

/** So many fields of a table are looked through for one that comes out of turn: those of more are not kept. */
const keptFieldsMax = 64

/** As the kernels have a table and a field: places of numbers of 32 bits. */
const tableWords = { series: 2, offsets: 3, lines: 4 } as const
const fieldWords = { values: 4, marks: 5, count: 7 } as const

interface OpenField {
  readonly field: number
  readonly at: number
  column: ColumnBuilder | undefined
  kind: number
}

class OpenTable {
  readonly table: number
  readonly at: number
  builder: TableBuilder | undefined
  readonly fields: OpenField[] = []
  readonly byName = new Map<FieldName, OpenField>()

  constructor(table: number, at: number) {
    this.table = table
    this.at = at
  }

  /** What belonged to the batch. */
  close(): void {
    this.builder = undefined
    for (const field of this.fields) {
      field.column = undefined
      field.kind = noKind
    }
  }
}

export class FastLines {
  readonly #scan: Scan
  readonly #bodyBytesMin: number
  /** The thread's, while a body is read, and while it is read here. */
  #used: LineKernels | undefined
  #own: LineKernels | undefined
  #vocabulary: Vocabulary | undefined
  #series: object | undefined
  /** By number of the measurement, and by number of the kernels' table: kept from body to body. */
  readonly #byMeasurement = new Map<number, OpenTable>()
  readonly #tables: OpenTable[] = []
  /** Those that the body has rows for. */
  readonly #open: OpenTable[] = []
  /** The kernels have no room for another one, or know more than they look through. */
  #isCrowded = false
  #windowStart = 0
  #windowEnd = 0
  #unusual = 0
  /** Lines that were read here. */
  #rowCount = 0

  /** Of bodies smaller than `bodyBytesMin` many a line would be read twice: the first one for each table. */
  constructor(scan: Scan, bodyBytesMin = bodyBytesMinDefault) {
    this.#scan = scan
    this.#bodyBytesMin = bodyBytesMin
  }

  /** The scan has its bytes. */
  begin(): void {
    const { limit, scale } = this.#scan
    // One is in use still where the body before ended in an exception, halfway.
    const wasLeft = this.#used !== undefined
    this.#rowCount = 0
    this.#used = limit < this.#bodyBytesMin ? undefined : lineKernels()
    this.#own = this.#used
    if (this.#own === undefined) return
    this.#remember(this.#own, wasLeft)
    this.#windowStart = 0
    this.#windowEnd = 0
    this.#unusual = 0
    const { nsPerUnit, now } = scale
    this.#own.kernels.setTimes(nsPerUnit, timeMax / nsPerUnit, now)
  }

  /** What the kernels know of the bodies before, as far as it is still true. */
  #remember(own: LineKernels, wasLeft: boolean): void {
    const { vocabulary } = this.#scan
    const { kernels } = own
    const isOwn = own.claim(this) && this.#vocabulary === vocabulary
    const areKeysKnown = isOwn && this.#series === vocabulary.series
    if (!areKeysKnown) kernels.forgetKeys()
    this.#vocabulary = vocabulary
    this.#series = vocabulary.series
    if (isOwn && !wasLeft && !this.#isCrowded) return
    kernels.forgetTables()
    this.#byMeasurement.clear()
    this.#tables.length = 0
    this.#open.length = 0
    this.#isCrowded = false
  }

  /** Reads from a line on; gives the start of the first that was not read. */
  read(start: number): number {
    const s = this.#scan
    const own = this.#own
    if (own === undefined) return start
    const { kernels } = own
    let at = start
    while (at < s.limit) {
      if (!this.#showsLine(own, at)) return at
      const place = kernels.body.value + at - this.#windowStart
      const end = kernels.body.value + this.#windowEnd - this.#windowStart
      const reason = kernels.scanLines(place, end, s.line)
      at += kernels.stoppedAt.value - place
      const count = kernels.lineCount.value
      if (count > 0) {
        s.line = kernels.nextLine.value
        this.#rowCount += count
        this.#takeRows(own)
      }
      if (reason === atEnd || (reason === atFullTable && count > 0)) continue
      if (reason !== atNewKey && reason !== atFullTable) this.#noteUnusual()
      return at
    }
    return at
  }

  #noteUnusual(): void {
    this.#unusual++
    if (this.#unusual > unusualMin && this.#unusual * 4 > this.#rowCount) this.#own = undefined
  }

  /** Whether a whole line from there on lies in the kernels' memory. */
  #showsLine({ kernels, bytes }: LineKernels, at: number): boolean {
    if (at >= this.#windowStart && at < this.#windowEnd) return true
    const s = this.#scan
    const window = s.bytes.subarray(at, Math.min(s.limit, at + kernels.bodyBytes.value))
    const length = window.lastIndexOf(newline) + 1
    if (length === 0) return false
    bytes.set(window.subarray(0, length), kernels.body.value)
    this.#windowStart = at
    this.#windowEnd = at + length
    return true
  }

  /** A line was read elsewhere, which is of this series: the next of its kind can be read here. */
  learn(start: number, id: number): void {
    const own = this.#own
    if (own === undefined || start < this.#windowStart || start >= this.#windowEnd) return
    const { view, vocabulary } = this.#scan
    const { wire, measurementOf } = vocabulary.series
    const number = measurementOf[id]
    const measurement = vocabulary.measurements[number]
    const length = wire.lengths[id]
    if (length > nameBytesMax) return
    // A line may begin with blanks.
    if (!equalRange(view, start, wire.view, wire.starts[id], length)) return
    const place = own.kernels.body.value + start - this.#windowStart
    own.kernels.learnKey(place, length, id, number)
    const open = this.#byMeasurement.get(number) ?? this.#openTable(own, number)
    if (open !== undefined) this.#update(own, open, measurement.table, measurement.spellings.arena)
  }

  #openTable({ kernels }: LineKernels, measurement: number): OpenTable | undefined {
    const table = kernels.openTable(measurement)
    this.#isCrowded ||= table < 0
    if (table < 0) return undefined
    const open = new OpenTable(table, kernels.tableAt(table) >>> 2)
    this.#byMeasurement.set(measurement, open)
    this.#tables[table] = open
    return open
  }

  /** Which columns there are now, and for how many rows there is room. */
  #update(own: LineKernels, open: OpenTable, builder: TableBuilder, spellings: Uint8Array): void {
    const { kernels } = own
    if (open.builder !== builder) {
      if (open.builder === undefined) this.#open.push(open)
      open.builder = builder
      for (const field of open.fields) this.#setColumn(own, field, undefined)
    }
    builder.eachColumn((name, column) => {
      if (name.current !== column) return
      const field = open.byName.get(name) ?? this.#openField(own, open, name, spellings)
      if (field !== undefined) this.#setColumn(own, field, column)
    })
    const room = builder.capacity - builder.rowCount
    const { base, offsetMin, offsetMax } = builder
    kernels.setTable(open.table, Math.max(0, room), base, offsetMin, offsetMax)
  }

  #openField(
    { kernels, bytes }: LineKernels,
    open: OpenTable,
    name: FieldName,
    spellings: Uint8Array,
  ): OpenField | undefined {
    if (name.length > nameBytesMax) return undefined
    const field = kernels.openField(open.table, name.length)
    this.#isCrowded ||= field < 0 || open.fields.length >= keptFieldsMax
    if (field < 0) return undefined
    bytes.set(spellings.subarray(name.start, name.start + name.length), kernels.nameOf(field))
    const opened = { field, at: kernels.fieldAt(field) >>> 2, column: undefined, kind: noKind }
    open.fields.push(opened)
    open.byName.set(name, opened)
    return opened
  }

  #setColumn({ kernels }: LineKernels, field: OpenField, column: ColumnBuilder | undefined): void {
    const kind = kindOf(column)
    if (field.column === column && field.kind === kind) return
    field.column = column
    field.kind = kind
    kernels.setKind(field.field, kind)
  }

  /** All rows that wait go to their tables. */
  #takeRows(own: LineKernels): void {
    const { kernels, words } = own
    const filled = kernels.filled.value >>> 2
    const count = kernels.filledCount.value
    for (let i = 0; i < count; i++) {
      const open = this.#tables[words[filled + i]]
      const builder = open.builder!
      this.#takeRowsOf(own, open, builder)
      kernels.emptyTable(open.table, builder.capacity - builder.rowCount)
    }
    kernels.forgetFilled()
  }

  #takeRowsOf({ words, floats }: LineKernels, open: OpenTable, builder: TableBuilder): void {
    const count = words[open.at]
    const row = builder.rowCount
    const series = words[open.at + tableWords.series] >>> 2
    const offsets = words[open.at + tableWords.offsets] >>> 3
    const lines = words[open.at + tableWords.lines] >>> 2
    copyRows(words, series, count, builder.series, row)
    copyRows(floats, offsets, count, builder.offsets, row)
    copyRows(words, lines, count, builder.lines, row)
    for (const field of open.fields) this.#takeValues(field, row, count)
    builder.rowCount = row + count
  }

  #takeValues({ at, column, kind }: OpenField, row: number, count: number): void {
    const { words, floats, integers, bytes } = this.#own!
    const valueCount = words[at + fieldWords.count]
    if (valueCount === 0) return
    const place = words[at + fieldWords.values]
    const marksAt = words[at + fieldWords.marks]
    const marks = valueCount === count ? undefined : bytes.subarray(marksAt, marksAt + count)
    if (kind === kindString) column!.putTexts(row, bytes, words, place >>> 2, count, marks)
    else {
      const values = kind >= kindWide ? integers : floats
      column!.putRows(row, values, place >>> 3, count, marks)
    }
  }

  /** No further line of the body is read; gives how many were read here. */
  end(): number {
    for (const open of this.#open) {
      this.#used?.kernels.closeTable(open.table)
      open.close()
    }
    this.#open.length = 0
    this.#used = undefined
    this.#own = undefined
    return this.#rowCount
  }
}

/** As the kernels number them: they tell wide integers from wide unsigned ones. */
function kindOf(column: ColumnBuilder | undefined): number {
  if (column === undefined) return noKind
  return column.kind === kindWide && column.type !== kindInteger ? kindWideUnsigned : column.kind
}

/** For parsers of what many lines are read from. */
export function fastLines(scan: Scan): FastLines {
  return new FastLines(scan)
}
