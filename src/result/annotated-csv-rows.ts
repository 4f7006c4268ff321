// The rows of a chunk as lines of CSV. What is the same in all of them (the result's name, the table's
// number, every column of the group key) is spelt once per chunk, as the pieces of text between the
// columns that differ; a line is those pieces copied and the other columns printed between them.
//
// Columns are sorted by kind into parallel arrays, so that the loop reads each kind of typed array at
// a place of its own. 64-bit integers are read in halves: nearly all of them are safe integers. (The
// low half comes first: Node runs on no machine where it does not.)

import type { Cell, Cells, CellType, Chunk } from '../query/table.js'
import { CsvDictionary, type CsvFields, copyBytes } from './annotated-csv-text.js'
import { ByteWriter, putAscii } from './byte-writer.js'
import { MomentText, momentBytesMax } from './moment-text.js'
import { plainFloatBytesMax, putInteger, putPlainFloat } from './number-text.js'

const kinds = { float: 0, int: 1, uint: 2, bool: 3, time: 4, string: 5, entry: 6 } as const

const valueBytesMax = Math.max(plainFloatBytesMax, momentBytesMax)
const twoTo32 = 4_294_967_296
/** Halves up to here, either way, belong to safe integers. */
const safeHalf = 0x20_0000

const noFloats = new Float64Array(0)
const noHalves = new Int32Array(0)
const noWides = new BigInt64Array(0)
const noBytes = new Uint8Array(0)
const noEntries = new Uint32Array(0)

/** A column whose rows differ, and the text in front of it. */
class Slot {
  kind: number = kinds.float
  /** From where to where in the text that all rows share. */
  textStart = 0
  textEnd = 0
  validity: Uint8Array | undefined
  floats: Float64Array = noFloats
  halves: Int32Array = noHalves
  wides: BigInt64Array | BigUint64Array = noWides
  bools: Uint8Array = noBytes
  entries: Uint32Array = noEntries
  strings: readonly string[] = []
  readonly moments = new MomentText()
  readonly dictionary: CsvDictionary

  constructor(fields: CsvFields) {
    this.dictionary = new CsvDictionary(fields)
  }
}

export class CsvRows {
  readonly #fields: CsvFields
  /** A delimiter that numbers or moments contain: they have to be quoted, too. */
  readonly #isOdd: boolean
  readonly #shared = new ByteWriter()
  readonly #slots: Slot[] = []
  #slotCount = 0
  #tailStart = 0
  #tailEnd = 0

  constructor(fields: CsvFields) {
    this.#fields = fields
    this.#isOdd = /[-+.:\w]/.test(String.fromCharCode(fields.delimiter))
  }

  /** `result` and `table`: what stands in front of the table's own columns. */
  use(result: string, table: number, chunk: Chunk): void {
    const shared = this.#shared
    shared.length = 0
    this.#fields.putAll(shared, ['', result, String(table)])
    this.#slotCount = 0
    let start = 0
    for (const cells of chunk.columns) {
      this.#fields.putDelimiter(shared)
      if (cells.kind === 'constant') {
        if (cells.value !== null) this.putCell(shared, cells.type, cells.value)
        continue
      }
      const slot = this.#nextSlot()
      slot.textStart = start
      slot.textEnd = shared.length
      start = shared.length
      this.#setSlot(slot, cells, chunk.rowCount)
    }
    this.#tailStart = start
    shared.ascii('\r\n')
    this.#tailEnd = shared.length
  }

  #nextSlot(): Slot {
    const at = this.#slotCount++
    if (at === this.#slots.length) this.#slots.push(new Slot(this.#fields))
    return this.#slots[at]
  }

  #setSlot(slot: Slot, cells: Exclude<Cells, { kind: 'constant' }>, rowCount: number): void {
    slot.validity = cells.validity
    slot.kind = kinds[cells.type]
    switch (cells.type) {
      case 'float':
        slot.floats = cells.values
        break
      case 'int':
      case 'uint':
        slot.wides = cells.values
        slot.halves = halvesOf(cells.values)
        break
      case 'bool':
        slot.bools = cells.values
        break
      case 'time':
        slot.moments.useNanoseconds(cells.values)
        break
      case 'string':
        slot.entries = cells.values
        slot.strings = cells.dictionary
        if (!CsvDictionary.suits(cells.dictionary, rowCount)) break
        slot.kind = kinds.entry
        slot.dictionary.use(cells.dictionary)
    }
  }

  /** From `row` on, as many as fit; returns the row to go on with. */
  write(out: ByteWriter, row: number, rowCount: number): number {
    const shared = this.#shared
    const [slots, count] = [this.#slots, this.#slotCount]
    const bytesMax = shared.length + count * valueBytesMax
    let next = row
    for (; next < rowCount && !out.isFull; next++) {
      out.reserve(bytesMax)
      for (let i = 0; i < count; i++) {
        const slot = slots[i]
        out.length = copyBytes(shared.view, slot.textStart, slot.textEnd, out.view, out.length)
        const { validity } = slot
        if (validity === undefined || validity[next] !== 0) this.#putValue(out, slot, next)
        if (slot.kind >= kinds.string) out.reserve(bytesMax)
      }
      out.length = copyBytes(shared.view, this.#tailStart, this.#tailEnd, out.view, out.length)
    }
    return next
  }

  #putValue(out: ByteWriter, slot: Slot, row: number): void {
    const { view, length } = out
    switch (slot.kind) {
      case kinds.float:
        out.length = putCsvFloat(view, length, slot.floats[row])
        break
      case kinds.time:
        out.length = slot.moments.putRfc3339(view, length, row)
        break
      case kinds.int:
        out.length = putInt(view, length, slot, row)
        break
      case kinds.uint:
        out.length = putUint(view, length, slot, row)
        break
      case kinds.bool:
        out.length = putAscii(view, length, slot.bools[row] === 0 ? 'false' : 'true')
        break
      case kinds.entry:
        return slot.dictionary.put(out, slot.entries[row])
      default:
        return this.#fields.put(out, slot.strings[slot.entries[row]])
    }
    if (this.#isOdd) this.#quote(out, length)
  }

  /** Writes a single cell, for what is not worth a slot. */
  putCell(out: ByteWriter, type: CellType, value: Cell): void {
    if (type === 'string') return this.#fields.put(out, value as string)
    out.reserve(valueBytesMax)
    const { view, length } = out
    if (type === 'float') out.length = putCsvFloat(view, length, value as number)
    else if (type === 'time') out.length = this.#putMoment(view, length, value as bigint)
    else out.length = putAscii(view, length, String(value))
    if (this.#isOdd) this.#quote(out, length)
  }

  readonly #moment = new BigInt64Array(1)
  readonly #momentText = new MomentText()

  #putMoment(view: DataView, at: number, time: bigint): number {
    this.#moment[0] = time
    this.#momentText.useNanoseconds(this.#moment)
    return this.#momentText.putRfc3339(view, at, 0)
  }

  /** Spells what was written from `start` on again, as a field. */
  #quote(out: ByteWriter, start: number): void {
    const text = out.bytes.toString('latin1', start, out.length)
    out.length = start
    this.#fields.put(out, text)
  }
}

function halvesOf(values: BigInt64Array | BigUint64Array): Int32Array {
  return new Int32Array(values.buffer, values.byteOffset, values.length * 2)
}

function putCsvFloat(view: DataView, at: number, value: number): number {
  if (Number.isFinite(value)) return putPlainFloat(view, at, value)
  return putAscii(view, at, Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf')
}

function putInt(view: DataView, at: number, { halves, wides }: Slot, row: number): number {
  const high = halves[row * 2 + 1]
  if (high >= -safeHalf && high < safeHalf) {
    return putInteger(view, at, high * twoTo32 + (halves[row * 2] >>> 0))
  }
  return putAscii(view, at, String(wides[row]))
}

function putUint(view: DataView, at: number, { halves, wides }: Slot, row: number): number {
  const high = halves[row * 2 + 1] >>> 0
  if (high < safeHalf) return putInteger(view, at, high * twoTo32 + (halves[row * 2] >>> 0))
  return putAscii(view, at, String(wides[row]))
}
