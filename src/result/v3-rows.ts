// Rows as the v3 products send them over HTTP: a JSON array of objects, objects line by line (JSONL), or
// CSV. Moments carry no zone, what is absent is left out of objects and empty in CSV.

import type { ResultBatch } from '../query/language.js'
import { ByteWriter, putAscii } from './byte-writer.js'
import { ColumnSlots, slotKinds } from './column-slots.js'
import { jsonStringBytesMax, putJsonString, writeJsonString } from './json-string.js'
import { momentBytesMax } from './moment-text.js'
import { plainFloatBytesMax, putFloat, putInteger } from './number-text.js'
import { sameNames } from './table-identity.js'
import { writeBytesField, writeCsvField } from './v1-csv.js'

const quote = 34
const valueBytesMax = Math.max(plainFloatBytesMax, momentBytesMax) + 3

export interface RowEncoder {
  readonly out: ByteWriter
  /** Encodes rows from `row` on until the batch ends or `out` is full; returns the row to go on with. */
  rows(batch: ResultBatch, row: number): number
  end(): void
}

/** What both have: the values that are no text. */
abstract class V3Rows implements RowEncoder {
  readonly out = new ByteWriter()
  protected readonly slots = new ColumnSlots(undefined)
  protected columnNames: readonly string[] = []
  protected rowBytes = 0
  #isZoned = false

  rows(batch: ResultBatch, row: number): number {
    if (row === 0) {
      this.slots.use(batch)
      this.#isZoned = batch.zone !== undefined
      if (!sameNames(batch.columnNames, this.columnNames)) this.useNames(batch.columnNames)
      this.rowBytes = this.marksBytes() + batch.columns.length * valueBytesMax
    }
    let next = row
    for (; next < batch.rowCount && !this.out.isFull; next++) this.writeRow(next)
    return next
  }

  abstract end(): void
  protected abstract marksBytes(): number
  protected abstract writeRow(row: number): void
  protected abstract writeText(i: number, row: number): void

  protected useNames(names: readonly string[]): void {
    this.columnNames = names
  }

  /** Whether the row has a value there. */
  protected has(i: number, row: number): boolean {
    const valid = this.slots.validity[i]
    if (valid !== undefined && valid[row] === 0) return false
    return this.slots.kinds[i] !== slotKinds.float || Number.isFinite(this.slots.numbers[i][row])
  }

  protected writeValue(i: number, row: number, isQuoted: boolean): void {
    const { out, slots } = this
    const { view, length } = out
    switch (slots.kinds[i]) {
      case slotKinds.float:
        out.length = putFloat(view, length, slots.numbers[i][row])
        break
      case slotKinds.integer:
        out.length = putInteger(view, length, slots.numbers[i][row])
        break
      case slotKinds.boolean:
        out.length = putAscii(view, length, slots.booleans[i][row] === 0 ? 'false' : 'true')
        break
      case slotKinds.wide:
        out.length = putAscii(view, length, String(slots.wides[i][row]))
        break
      case slotKinds.moment: {
        const start = isQuoted ? length + 1 : length
        if (isQuoted) view.setUint8(length, quote)
        let at = slots.moments[i].putRfc3339(view, start, row)
        // In UTC a Z ends it, which a moment without a zone has not.
        if (!this.#isZoned) at--
        if (isQuoted) view.setUint8(at++, quote)
        out.length = at
        break
      }
      default:
        this.writeText(i, row)
        out.reserve(this.rowBytes)
    }
  }
}

export class V3Json extends V3Rows {
  readonly #isLines: boolean
  #labels: Uint8Array[] = []
  #hasRow = false

  constructor(isLines: boolean) {
    super()
    this.#isLines = isLines
    if (!isLines) this.out.ascii('[')
  }

  end(): void {
    if (!this.#isLines) this.out.ascii(']')
  }

  protected override useNames(names: readonly string[]): void {
    super.useNames(names)
    this.#labels = names.map((name) => Buffer.from(`${JSON.stringify(name)}:`))
  }

  protected marksBytes(): number {
    return this.#labels.reduce((sum, label) => sum + label.length + 1, 4)
  }

  protected writeRow(row: number): void {
    const { out } = this
    out.reserve(this.rowBytes)
    if (this.#hasRow && !this.#isLines) out.ascii(',')
    this.#hasRow = true
    out.ascii('{')
    let isFirst = true
    for (let i = 0; i < this.slots.count; i++) {
      if (!this.has(i, row)) continue
      if (!isFirst) out.ascii(',')
      isFirst = false
      out.put(this.#labels[i])
      this.writeValue(i, row, true)
    }
    out.ascii(this.#isLines ? '}\n' : '}')
  }

  protected writeText(i: number, row: number): void {
    const { out, slots } = this
    if (slots.kinds[i] === slotKinds.list) {
      writeJsonString(out, slots.lists[i][row].join(','))
      return
    }
    const entry = slots.entries[i][row]
    const [start, stop] = [slots.offsets[i][entry], slots.offsets[i][entry + 1]]
    out.reserve(jsonStringBytesMax(stop - start) + this.rowBytes)
    out.length = putJsonString(out.view, out.length, slots.bytes[i], start, stop)
  }
}

export class V3Csv extends V3Rows {
  end(): void {}

  protected override useNames(names: readonly string[]): void {
    const { out } = this
    // Another table of the same answer: it has a head of its own.
    if (this.columnNames.length > 0) out.ascii('\n')
    super.useNames(names)
    names.forEach((name, i) => {
      if (i > 0) out.ascii(',')
      writeCsvField(out, name)
    })
    out.ascii('\n')
  }

  protected marksBytes(): number {
    return this.columnNames.length + 1
  }

  protected writeRow(row: number): void {
    const { out } = this
    out.reserve(this.rowBytes)
    for (let i = 0; i < this.slots.count; i++) {
      if (i > 0) out.ascii(',')
      if (this.has(i, row)) this.writeValue(i, row, false)
    }
    out.ascii('\n')
  }

  protected writeText(i: number, row: number): void {
    const { out, slots } = this
    if (slots.kinds[i] === slotKinds.list) {
      writeCsvField(out, slots.lists[i][row].join(','))
      return
    }
    const entry = slots.entries[i][row]
    const [start, stop] = [slots.offsets[i][entry], slots.offsets[i][entry + 1]]
    writeBytesField(out, slots.bytes[i], start, stop, this.rowBytes)
  }
}
