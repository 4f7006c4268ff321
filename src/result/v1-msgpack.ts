// Answers as msgpack with the maps of the JSON form. Arrays say at their beginning how long they are,
// so that a document is held until it is complete: all of it unless chunked, and then no more than
// the limit. Lengths that become known later are written in four bytes.
//
// Integers take their shortest form, floats nine bytes; a moment that is not asked for as a number is
// an extension of type 5 with twelve bytes: seconds since 1970 and nanoseconds, as the packer of
// InfluxDB has it. A failed statement's map holds its error alone, as there.

import { UserError } from '../errors.js'
import type { ResultBatch, ResultFailure, ResultStart } from '../query/language.js'
import { ByteWriter } from './byte-writer.js'
import { ColumnSlots, slotKinds } from './column-slots.js'
import type { FailureText, ResultEncoder, ResultFormat } from './format.js'
import type { MomentText } from './moment-text.js'
import { TableIdentity } from './table-identity.js'

/** Bytes of one document. What needs more is asked for in chunks. */
const documentBytesMax = 64 * 1024 * 1024
const momentBytes = 15
const valueBytesMax = momentBytes

export class V1Msgpack implements ResultEncoder {
  readonly out = new ByteWriter()
  readonly #format: ResultFormat
  readonly #failureText: FailureText
  readonly #slots: ColumnSlots
  readonly #table = new TableIdentity()
  #start: ResultStart | undefined
  #isDocumentOpen = false
  #isResultOpen = false
  #hasWritten = false
  /** Where the lengths stand that are not known yet, and what they are so far. */
  #resultsAt = 0
  #results = 0
  #resultAt = 0
  #tablesAt = 0
  #tables = 0
  #tableAt = 0
  #tableKeys = 0
  #rowsAt = 0
  #rows = 0

  constructor(format: ResultFormat, failureText: FailureText) {
    this.#format = format
    this.#failureText = failureText
    this.#slots = new ColumnSlots(format.time === 'rfc3339' ? undefined : format.time)
  }

  get maySend(): boolean {
    return !this.#isDocumentOpen
  }

  start(start: ResultStart): void {
    this.#endResult()
    this.#start = start
    this.#hasWritten = false
  }

  rows(batch: ResultBatch, row: number): number {
    if (row === 0) this.#useBatch(batch)
    let next = row
    for (; next < batch.rowCount; next++) {
      if (this.#isResultOpen && this.#isChunkFull()) {
        this.#closeDocument(true, true)
        if (this.out.isFull) return next
      }
      if (!this.#isResultOpen) this.#openTable(batch)
      this.#writeRow(next)
      this.#rows++
    }
    if (this.out.length > documentBytesMax) {
      const limit = `${documentBytesMax} bytes in one document`
      throw new UserError('invalid', `the answer has more than ${limit}: ask for chunks`)
    }
    return next
  }

  failure(failure: ResultFailure): void {
    const isChunked = this.#format.chunkRows !== undefined
    if (this.#start?.result !== failure.result) {
      this.start({ kind: 'start', result: failure.result, messages: [] })
    }
    if (isChunked && this.#isDocumentOpen) this.#closeDocument(false, true)
    // In one document the error stands in the place of all that the result had.
    if (!isChunked && this.#hasWritten) this.out.length = this.#resultAt
    else this.#openDocument()
    this.#isResultOpen = false
    this.#rowsAt = 0
    this.#table.forget()
    this.#resultAt = this.out.length
    this.#map(1)
    this.#string('error')
    this.#string(this.#failureText(failure.error))
    this.#hasWritten = true
    this.#start = { kind: 'start', result: failure.result, messages: [] }
    if (isChunked) this.#closeDocument(false, false)
  }

  end(): void {
    this.#endResult()
    if (this.#format.chunkRows !== undefined) return
    if (!this.#isDocumentOpen) {
      this.#openDocument()
      this.#results = 0
    }
    this.#closeDocument(false, false)
  }

  #useBatch(batch: ResultBatch): void {
    if (this.#start?.result !== batch.result) {
      this.start({ kind: 'start', result: batch.result, messages: [] })
    }
    this.#slots.use(batch)
    if (this.#table.includes(batch)) return
    const isChunked = this.#format.chunkRows !== undefined
    const chunks = this.#start?.chunks ?? 'rows'
    if (isChunked && this.#isResultOpen && chunks !== 'one') {
      this.#closeDocument(false, chunks === 'rows')
    }
    this.#openTable(batch)
  }

  #isChunkFull(): boolean {
    const { chunkRows } = this.#format
    return chunkRows !== undefined && this.#start?.chunks === undefined && this.#rows >= chunkRows
  }

  #openDocument(): void {
    this.#results++
    if (this.#isDocumentOpen) return
    this.#isDocumentOpen = true
    this.#results = 1
    this.#map(1)
    this.#string('results')
    this.#resultsAt = this.#laterArray()
  }

  #openResult(result: number): void {
    this.#openDocument()
    this.#isResultOpen = true
    this.#hasWritten = true
    this.#resultAt = this.out.length
    this.#tables = 0
    const messages = this.#start?.messages ?? []
    // Its number and its series; more keys are counted in when they are written.
    this.#map(messages.length > 0 ? 3 : 2)
    this.#string('statement_id')
    this.#integer(result)
    if (messages.length > 0) this.#writeMessages(messages)
    this.#string('series')
    this.#tablesAt = this.#laterArray()
  }

  #writeMessages(messages: readonly string[]): void {
    this.#string('messages')
    this.#array(messages.length)
    for (const message of messages) {
      this.#map(2)
      this.#string('level')
      this.#string('warning')
      this.#string('text')
      this.#string(message)
    }
    this.#start = { ...this.#start!, messages: [] }
  }

  #openTable(batch: ResultBatch): void {
    if (!this.#isResultOpen) this.#openResult(batch.result)
    this.#closeTable(false)
    this.#table.set(batch)
    const { name, tags, columnNames } = batch
    this.#tables++
    this.#rows = 0
    this.#tableAt = this.out.length
    this.#tableKeys = 2 + (name === '' ? 0 : 1) + (tags.length === 0 ? 0 : 1)
    this.#map(this.#tableKeys)
    if (name !== '') {
      this.#string('name')
      this.#string(name)
    }
    if (tags.length > 0) {
      this.#string('tags')
      this.#map(tags.length)
      for (const tag of tags) {
        this.#string(tag.key)
        this.#string(tag.value)
      }
    }
    this.#string('columns')
    this.#array(columnNames.length)
    for (const column of columnNames) this.#string(column)
    this.#string('values')
    this.#rowsAt = this.#laterArray()
  }

  #closeTable(isPartial: boolean): void {
    if (this.#rowsAt === 0) return
    this.out.bytes.writeUInt32BE(this.#rows, this.#rowsAt)
    this.#rowsAt = 0
    if (!isPartial) return
    this.out.bytes[this.#tableAt] = 0x80 | (this.#tableKeys + 1)
    this.#writePartial()
  }

  #closeResult(isTablePartial: boolean, isPartial: boolean): void {
    if (!this.#isResultOpen) return
    this.#closeTable(isTablePartial)
    this.out.bytes.writeUInt32BE(this.#tables, this.#tablesAt)
    if (isPartial) {
      this.out.bytes[this.#resultAt]++
      this.#writePartial()
    }
    this.#isResultOpen = false
    this.#table.forget()
  }

  #writePartial(): void {
    this.#string('partial')
    this.out.reserve(1)
    this.out.bytes[this.out.length++] = 0xc3
  }

  #closeDocument(isTablePartial: boolean, isPartial: boolean): void {
    this.#closeResult(isTablePartial, isPartial)
    this.out.bytes.writeUInt32BE(this.#results, this.#resultsAt)
    this.#isDocumentOpen = false
  }

  #endResult(): void {
    if (this.#start === undefined) return
    if (!this.#hasWritten) this.#openResult(this.#start.result)
    this.#closeResult(false, false)
    if (this.#format.chunkRows !== undefined && this.#isDocumentOpen) {
      this.#closeDocument(false, false)
    }
    this.#start = undefined
  }

  #writeRow(row: number): void {
    const { out } = this
    const slots = this.#slots
    this.#array(slots.count)
    for (let i = 0; i < slots.count; i++) {
      out.reserve(valueBytesMax)
      const valid = slots.validity[i]
      if (valid === undefined || valid[row] !== 0) this.#writeValue(i, row)
      else out.bytes[out.length++] = 0xc0
    }
  }

  #writeValue(i: number, row: number): void {
    const { out } = this
    const slots = this.#slots
    switch (slots.kinds[i]) {
      case slotKinds.float:
        out.bytes[out.length++] = 0xcb
        out.length = out.bytes.writeDoubleBE(slots.numbers[i][row], out.length)
        break
      case slotKinds.integer:
        this.#integer(slots.numbers[i][row])
        break
      case slotKinds.boolean:
        out.bytes[out.length++] = slots.booleans[i][row] === 0 ? 0xc2 : 0xc3
        break
      case slotKinds.string: {
        const entry = slots.entries[i][row]
        const { offsets, bytes } = slots
        writeText(out, bytes[i].subarray(offsets[i][entry], offsets[i][entry + 1]))
        break
      }
      case slotKinds.epoch:
        this.#integer(slots.moments[i].epoch(row, slots.unit))
        break
      case slotKinds.moment:
        this.#moment(slots.moments[i], row)
        break
      case slotKinds.list:
        this.#array(slots.lists[i][row].length)
        for (const text of slots.lists[i][row]) this.#string(text)
        break
      default:
        this.#integer(slots.wides[i][row])
    }
  }

  #moment(moments: MomentText, row: number): void {
    const { out } = this
    if (this.#format.time === 'rfc3339') {
      const text = new ByteWriter()
      text.length = moments.putRfc3339(text.view, 0, row)
      writeText(out, text.take())
      return
    }
    const { seconds, nanos } = moments.split(row)
    out.bytes[out.length++] = 0xc7
    out.bytes[out.length++] = 12
    out.bytes[out.length++] = 5
    out.length = out.bytes.writeBigInt64BE(BigInt(seconds), out.length)
    out.length = out.bytes.writeInt32BE(nanos, out.length)
  }

  #map(count: number): void {
    writeHeader(this.out, count, 0x80, 15, 0xde)
  }

  #array(count: number): void {
    writeHeader(this.out, count, 0x90, 15, 0xdc)
  }

  /** An array whose length is written later; returns where. */
  #laterArray(): number {
    const { out } = this
    out.reserve(5)
    out.bytes[out.length++] = 0xdd
    out.length += 4
    return out.length - 4
  }

  #string(text: string): void {
    writeMsgpackString(this.out, text)
  }

  #integer(value: number | bigint): void {
    const { out } = this
    out.reserve(9)
    out.length = putInteger(out.bytes, out.length, value)
  }
}

export function writeMsgpackString(out: ByteWriter, text: string): void {
  writeText(out, Buffer.from(text))
}

function writeText(out: ByteWriter, text: Uint8Array): void {
  if (text.length > 31 && text.length <= 0xff) {
    out.reserve(2)
    out.bytes[out.length++] = 0xd9
    out.bytes[out.length++] = text.length
  } else writeHeader(out, text.length, 0xa0, 31, 0xda)
  out.put(text)
}

/** `short` holds small counts itself; `long` is followed by two bytes, the type behind it by four. */
function writeHeader(
  out: ByteWriter,
  count: number,
  short: number,
  shortMax: number,
  long: number,
): void {
  out.reserve(5)
  if (count <= shortMax) out.bytes[out.length++] = short | count
  else if (count <= 0xffff) {
    out.bytes[out.length++] = long
    out.length = out.bytes.writeUInt16BE(count, out.length)
  } else {
    out.bytes[out.length++] = long + 1
    out.length = out.bytes.writeUInt32BE(count, out.length)
  }
}

function putInteger(bytes: Buffer, at: number, value: number | bigint): number {
  if (value >= -32 && value <= 127) return bytes.writeInt8(Number(value), at)
  if (value >= -0x8000_0000 && value < 0x8000_0000) return putShort(bytes, at, Number(value))
  const wide = BigInt(value)
  if (wide > 0x7fff_ffff_ffff_ffffn) {
    bytes[at] = 0xcf
    return bytes.writeBigUInt64BE(wide, at + 1)
  }
  bytes[at] = 0xd3
  return bytes.writeBigInt64BE(wide, at + 1)
}

function putShort(bytes: Buffer, at: number, value: number): number {
  if (value >= -0x80 && value < 0x80) {
    bytes[at] = 0xd0
    return bytes.writeInt8(value, at + 1)
  }
  if (value >= -0x8000 && value < 0x8000) {
    bytes[at] = 0xd1
    return bytes.writeInt16BE(value, at + 1)
  }
  bytes[at] = 0xd2
  return bytes.writeInt32BE(value, at + 1)
}
