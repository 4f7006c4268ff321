// Answers as CSV the way InfluxDB 1.x has it: for each result a line of names (`name,tags` and the
// columns) and the rows below it; a blank line and new names where the result or the columns change.
// Moments are numbers, of nanoseconds unless asked otherwise; what is absent is empty; fields are
// quoted only where they must be. Messages have no place here. An error is a block of its own,
// `error` and the text below it, which InfluxDB leaves out when it is a statement's.

import { escapeName } from '../column/series.js'
import type { ResultBatch, ResultFailure, ResultStart } from '../query/language.js'
import { ByteWriter, putAscii } from './byte-writer.js'
import { ColumnSlots, slotKinds } from './column-slots.js'
import type { FailureText, ResultEncoder, ResultFormat } from './format.js'
import { momentBytesMax } from './moment-text.js'
import { plainFloatBytesMax, putInteger, putPlainFloat } from './number-text.js'
import { sameNames } from './table-identity.js'

const [comma, lineFeed, carriageReturn, quote] = [44, 10, 13, 34]
const valueBytesMax = Math.max(plainFloatBytesMax, momentBytesMax) + 1

export class V1Csv implements ResultEncoder {
  readonly out = new ByteWriter()
  readonly maySend = true
  readonly #slots: ColumnSlots
  readonly #isRfc3339: boolean
  readonly #failureText: FailureText
  #result = -1
  #columnNames: readonly string[] = []
  #hasBlock = false
  /** `name,tags` of the current batch's rows. */
  #prefix: Uint8Array = new Uint8Array(0)

  constructor(format: ResultFormat, failureText: FailureText) {
    this.#failureText = failureText
    this.#isRfc3339 = format.time === 'rfc3339'
    this.#slots = new ColumnSlots(format.time === 'rfc3339' ? undefined : (format.time ?? 'ns'))
  }

  start(_start: ResultStart): void {}

  rows(batch: ResultBatch, row: number): number {
    if (row === 0) this.#useBatch(batch)
    const { out } = this
    let next = row
    for (; next < batch.rowCount && !out.isFull; next++) this.#writeRow(next)
    return next
  }

  failure(failure: ResultFailure): void {
    this.#openBlock()
    this.out.ascii('error\n')
    writeCsvField(this.out, this.#failureText(failure.error))
    this.out.ascii('\n')
    this.#result = -1
  }

  end(): void {}

  #useBatch(batch: ResultBatch): void {
    const { name, tags, columnNames, result } = batch
    this.#slots.use(batch)
    if (result !== this.#result || !sameNames(columnNames, this.#columnNames)) {
      this.#openBlock()
      this.#result = result
      this.#columnNames = columnNames
      const { out } = this
      out.ascii('name,tags')
      for (const column of columnNames) {
        out.ascii(',')
        writeCsvField(out, column)
      }
      out.ascii('\n')
    }
    const shown = tags.filter((tag) => tag.value !== '')
    const tagText = shown.map((tag) => `${escapeName(tag.key)}=${escapeName(tag.value)}`).join(',')
    this.#prefix = Buffer.from(`${field(name)},${field(tagText)}`)
  }

  #openBlock(): void {
    if (this.#hasBlock) this.out.ascii('\n')
    this.#hasBlock = true
  }

  #writeRow(row: number): void {
    const { out } = this
    const slots = this.#slots
    out.put(this.#prefix)
    out.reserve(slots.count * valueBytesMax + 1)
    for (let i = 0; i < slots.count; i++) {
      out.bytes[out.length++] = comma
      const valid = slots.validity[i]
      if (valid === undefined || valid[row] !== 0) this.#writeValue(i, row)
    }
    out.bytes[out.length++] = lineFeed
  }

  #writeValue(i: number, row: number): void {
    const { out } = this
    const { view, length } = out
    const slots = this.#slots
    switch (slots.kinds[i]) {
      case slotKinds.float: {
        const value = slots.numbers[i][row]
        if (Number.isFinite(value)) out.length = putPlainFloat(view, length, value)
        break
      }
      case slotKinds.integer:
        out.length = putInteger(view, length, slots.numbers[i][row])
        break
      case slotKinds.string:
        this.#writeString(i, row)
        break
      case slotKinds.epoch:
        out.length = slots.moments[i].putEpoch(view, length, row, slots.unit)
        break
      case slotKinds.moment:
        out.length = this.#isRfc3339
          ? slots.moments[i].putRfc3339(view, length, row)
          : slots.moments[i].putEpoch(view, length, row, 'ns')
        break
      case slotKinds.boolean:
        out.length = putAscii(view, length, slots.booleans[i][row] === 0 ? 'false' : 'true')
        break
      case slotKinds.list:
        writeCsvField(out, slots.lists[i][row].join(','))
        out.reserve(slots.count * valueBytesMax + 1)
        break
      default:
        out.length = putAscii(view, length, String(slots.wides[i][row]))
    }
  }

  #writeString(i: number, row: number): void {
    const slots = this.#slots
    const entry = slots.entries[i][row]
    const from = slots.offsets[i][entry]
    const to = slots.offsets[i][entry + 1]
    writeBytesField(this.out, slots.bytes[i], from, to, slots.count * valueBytesMax + 1)
  }
}

export function writeCsvField(out: ByteWriter, text: string): void {
  const bytes = Buffer.from(text)
  writeBytesField(out, bytes, 0, bytes.length, 0)
}

function field(text: string): string {
  const out = new ByteWriter()
  writeCsvField(out, text)
  return Buffer.from(out.take()).toString()
}

/** `restBytes`: room that the row needs behind it. */
export function writeBytesField(
  out: ByteWriter,
  source: Uint8Array,
  from: number,
  to: number,
  restBytes: number,
): void {
  out.reserve((to - from) * 2 + 2 + restBytes)
  const { bytes } = out
  let at = out.length
  if (!needsQuotes(source, from, to)) {
    for (let i = from; i < to; i++) bytes[at++] = source[i]
  } else {
    bytes[at++] = quote
    for (let i = from; i < to; i++) {
      if (source[i] === quote) bytes[at++] = quote
      bytes[at++] = source[i]
    }
    bytes[at++] = quote
  }
  out.length = at
}

/** As Go decides it: separators, quotes, a space in front, and the mark of a database's end of input. */
function needsQuotes(source: Uint8Array, from: number, to: number): boolean {
  if (from === to) return false
  for (let i = from; i < to; i++) {
    const byte = source[i]
    if (byte === comma || byte === quote || byte === lineFeed || byte === carriageReturn)
      return true
  }
  if (to - from === 2 && source[from] === 92 && source[from + 1] === 46) return true
  return startsWithSpace(source, from, to)
}

function startsWithSpace(source: Uint8Array, from: number, to: number): boolean {
  const first = source[from]
  if (first < 0x80) return first === 32 || (first >= 9 && first <= 13)
  const [character] = Buffer.from(source.slice(from, Math.min(to, from + 4))).toString()
  // Unicode calls the byte order mark a space in JavaScript, and the next-line control in Go.
  return character === '\u0085' || (character !== '\ufeff' && /\s/.test(character))
}
