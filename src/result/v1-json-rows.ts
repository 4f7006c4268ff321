// Rows as JSON arrays: the hot loop of large answers. Bytes go straight into the writer's buffer; no
// string is made for a value except for floats with many decimals and integers beyond 2^53.

import type { ResultBatch, ResultColumn } from '../query/language.js'
import { type ByteWriter, overshoot, putAscii } from './byte-writer.js'
import { ColumnSlots, slotKinds } from './column-slots.js'
import { JsonDictionary } from './json-dictionary.js'
import { jsonStringBytesMax, putJsonString, writeJsonString } from './json-string.js'
import { type JsonTimes, RepeatedTimes, type RowMarks } from './json-times.js'
import { type EpochUnit, momentBytesMax } from './moment-text.js'
import {
  behindComma,
  behindCommaBytes,
  behindCommaEnd,
  numberBytesMax,
  putFloat,
  putInteger,
} from './number-text.js'

const quote = 34
const commaByte = 44
/** The longest value that is no string, with its quotes. */
const valueBytesMax = Math.max(numberBytesMax, momentBytesMax) + 2

export class JsonRows {
  readonly #out: ByteWriter
  readonly #marks: RowMarks
  readonly #slots: ColumnSlots
  readonly #repeatedTimes: RepeatedTimes
  /** Of the first column; undefined where it is spelt row by row. */
  #times: JsonTimes | undefined
  /** By column: the spelt entries, or undefined where they are spelt row by row. */
  readonly #spelt: (JsonDictionary | undefined)[] = []
  /** By column: how many are spelt with it: tags that are one dictionary, or numbers in every row. */
  readonly #widths: number[] = []
  readonly #dictionaries: JsonDictionary[] = []
  #rowBytes = 0

  constructor(out: ByteWriter, marks: RowMarks, time: EpochUnit | undefined) {
    this.#out = out
    this.#marks = marks
    this.#slots = new ColumnSlots(time)
    this.#repeatedTimes = new RepeatedTimes({ unit: time, marks })
  }

  /** The batch that the following rows are of. */
  use(batch: ResultBatch): void {
    const { columns, rowCount, zone } = batch
    const [first] = columns
    this.#times =
      first?.type === 'time' && first.validity === undefined
        ? this.#repeatedTimes.find(first.times, rowCount, zone)
        : undefined
    this.#slots.use(batch, this.#times === undefined ? 0 : 1)
    for (let i = 0; i < columns.length; i += this.#widths[i]) this.#spell(i, columns, rowCount)
    const { open, comma, close, next } = this.#marks
    const marksBytes = open.length + close.length + next.length
    this.#rowBytes = marksBytes + columns.length * (valueBytesMax + comma.length)
  }

  /** Finds out how the column is spelt, and which of those behind it together with it. */
  #spell(i: number, columns: readonly ResultColumn[], rowCount: number): void {
    this.#widths[i] = 1
    this.#spelt[i] = undefined
    const first = columns[i]
    if (this.#isPlainNumber(i)) {
      while (i + this.#widths[i] < columns.length && this.#isPlainNumber(i + this.#widths[i])) {
        this.#widths[i]++
      }
      return
    }
    if (first.type !== 'string' || !JsonDictionary.suits(first, rowCount)) return
    const together = [first]
    for (let next = i + 1; next < columns.length; next++) {
      const column = columns[next]
      if (column.type !== 'string' || !JsonDictionary.areOne(first, column)) break
      together.push(column)
    }
    while (this.#dictionaries.length <= i) {
      this.#dictionaries.push(new JsonDictionary(this.#marks.comma))
    }
    this.#dictionaries[i].use(together)
    this.#widths[i] = together.length
    this.#spelt[i] = this.#dictionaries[i]
  }

  /** Whether the column has a number in every row, and values stand behind single commas. */
  #isPlainNumber(i: number): boolean {
    const { kinds, validity } = this.#slots
    const isNumber = kinds[i] === slotKinds.float || kinds[i] === slotKinds.integer
    return isNumber && i > 0 && validity[i] === undefined && this.#marks.comma.length === 1
  }

  /** Encodes from one row up to but not including another, or until `out` is full; returns where to go on. */
  write(from: number, to: number, isFirst: boolean): number {
    if (this.#times !== undefined) return this.#writeTimed(this.#times, from, to, isFirst)
    const out = this.#out
    if (from === to || out.isFull) return from
    const { open, close, next, between } = this.#marks
    out.reserve(this.#rowBytes)
    if (!isFirst) out.length = putMark(out.view, out.length, next)
    out.length = putMark(out.view, out.length, open)
    this.#writeValues(from, 0)
    let row = from + 1
    for (; row < to && !out.isFull; row++) {
      out.reserve(this.#rowBytes)
      out.length = putMark(out.view, out.length, between)
      this.#writeValues(row, 0)
    }
    out.length = putMark(out.view, out.length, close)
    return row
  }

  #writeTimed(times: JsonTimes, from: number, to: number, isFirst: boolean): number {
    const out = this.#out
    const { close, next } = this.#marks
    let skipped = isFirst ? close.length + next.length : close.length
    let row = from
    for (; row < to && !out.isFull; row++) {
      out.reserve(this.#rowBytes)
      out.length = times.put(out.view, out.length, row, skipped)
      this.#writeValues(row, 1)
      skipped = 0
    }
    if (row > from) out.put(close)
    return row
  }

  /** From column `first` on, each behind a comma unless it is the first of all. */
  #writeValues(row: number, first: number): void {
    const out = this.#out
    const slots = this.#slots
    const { comma } = this.#marks
    const isCompact = comma.length === 1
    const { count, kinds, validity } = slots
    const widths = this.#widths
    let view = out.view
    let at = out.length
    /** How far texts may go so that the rest of the row has its room. */
    let textEnd = view.byteLength - this.#rowBytes - overshoot
    for (let i = first; i < count; i += widths[i]) {
      if (widths[i] > 1 && kinds[i] <= slotKinds.integer) {
        at = putNumbers(view, at, slots.numbers, kinds, row, i, i + widths[i])
        continue
      }
      if (i > 0) {
        if (isCompact) view.setUint8(at++, commaByte)
        else at = putMark(view, at, comma)
      }
      const valid = validity[i]
      if (valid !== undefined && valid[row] === 0) {
        at = putNull(view, at)
        continue
      }
      switch (kinds[i]) {
        case slotKinds.float:
          at = putJsonFloat(view, at, slots.numbers[i][row])
          break
        case slotKinds.integer:
          at = putInteger(view, at, slots.numbers[i][row])
          break
        case slotKinds.moment:
          view.setUint8(at, quote)
          at = slots.moments[i].putRfc3339(view, at + 1, row)
          view.setUint8(at++, quote)
          break
        case slotKinds.epoch:
          at = slots.moments[i].putEpoch(view, at, row, slots.unit)
          break
        case slotKinds.boolean:
          at = putAscii(view, at, slots.booleans[i][row] === 0 ? 'false' : 'true')
          break
        case slotKinds.wide:
          at = putAscii(view, at, String(slots.wides[i][row]))
          break
        default: {
          const spelt = this.#spelt[i]
          const entry = slots.entries[i][row]
          if (spelt !== undefined && at + spelt.size(entry) < textEnd) {
            at = spelt.put(view, at, entry)
            break
          }
          out.length = at
          this.#writeText(i, row)
          view = out.view
          at = out.length
          textEnd = view.byteLength - this.#rowBytes - overshoot
        }
      }
    }
    out.length = at
  }

  /** A string or a list that may need more room than was made for the row. */
  #writeText(i: number, row: number): void {
    const out = this.#out
    const slots = this.#slots
    if (slots.kinds[i] === slotKinds.list) {
      writeList(out, slots.lists[i][row], this.#marks.comma)
      out.reserve(this.#rowBytes)
      return
    }
    const entry = slots.entries[i][row]
    const spelt = this.#spelt[i]
    if (spelt !== undefined) {
      out.reserve(spelt.size(entry) + this.#rowBytes)
      out.length = spelt.put(out.view, out.length, entry)
      return
    }
    const start = slots.offsets[i][entry]
    const stop = slots.offsets[i][entry + 1]
    out.reserve(jsonStringBytesMax(stop - start) + this.#rowBytes)
    out.length = putJsonString(out.view, out.length, slots.bytes[i], start, stop)
  }
}

/** Numbers of a row that stand side by side, each behind a comma. */
function putNumbers(
  view: DataView,
  start: number,
  numbers: readonly Float64Array[],
  kinds: readonly number[],
  row: number,
  from: number,
  to: number,
): number {
  let at = start
  for (let i = from; i < to; i++) {
    const value = numbers[i][row]
    const small = value | 0
    // A zero may be a negative one.
    if (small === value && small > 0 && small < behindCommaEnd) {
      view.setInt32(at, behindComma[small], true)
      at += behindCommaBytes[small]
      continue
    }
    view.setUint8(at++, commaByte)
    at = kinds[i] === slotKinds.float ? putJsonFloat(view, at, value) : putInteger(view, at, value)
  }
  return at
}

function putMark(view: DataView, at: number, mark: Uint8Array): number {
  for (let i = 0; i < mark.length; i++) view.setUint8(at + i, mark[i])
  return at + mark.length
}

/** `comma` is the one between a row's values: an indented list stands one level deeper. */
function writeList(out: ByteWriter, list: readonly string[], comma: Uint8Array): void {
  const line = Buffer.from(comma.subarray(1)).toString()
  const indented = line === '' ? '' : `${line}    `
  out.ascii('[')
  for (let i = 0; i < list.length; i++) {
    out.ascii(i === 0 ? indented : `,${indented}`)
    writeJsonString(out, list[i])
  }
  out.ascii(list.length === 0 ? ']' : `${line}]`)
}

/** JSON has no words for what is no number or without end. */
function putJsonFloat(view: DataView, at: number, value: number): number {
  return value - value === 0 ? putFloat(view, at, value) : putNull(view, at)
}

function putNull(view: DataView, at: number): number {
  view.setUint8(at, 110)
  view.setUint8(at + 1, 117)
  view.setUint8(at + 2, 108)
  view.setUint8(at + 3, 108)
  return at + 4
}
