// Rows of the store as frames for an engine, 2,048 rows each: batches of typed arrays in, images of DuckDB's vectors
// out, so that the engine has little more to do than to copy them. Texts of up to 12 bytes lie within a vector's 16
// bytes a row; longer ones stand beside the image, as does a tag that all rows of a frame share.

import type { Batch } from '../../column/batch.js'
import { type Column, isWide, type Utf8Dictionary } from '../../column/column.js'
import { type FeedColumn, widthOf } from './feed-column.js'
import {
  extraHeadBytes,
  extras,
  frameHead,
  inlineTextBytesMax,
  inputs,
  padded,
  rowsHeadBytes,
  sourceRowsMax,
  textStructBytes,
} from './protocol.js'
import { putSums } from './words64.js'

/** Takes a frame in pieces; calls `written` when they may be changed again. */
export type SendPieces = (pieces: readonly Uint8Array[], written: () => void) => void

export class RowFrames {
  readonly #columns: readonly FeedColumn[]
  readonly #send: SendPieces
  /** Those that were sent and may be filled again. */
  readonly #free: ColumnImage[][] = []
  #images: ColumnImage[]
  #count = 0

  constructor(columns: readonly FeedColumn[], send: SendPieces) {
    this.#columns = columns
    this.#send = send
    this.#images = this.#newImages()
  }

  add(batch: Batch): void {
    for (const run of batch.runs) {
      for (let row = run.start; row < run.stop; ) {
        const stop = Math.min(run.stop, row + sourceRowsMax - this.#count)
        this.#columns.forEach((column, i) => {
          const image = this.#images[i]
          if (column.kind === 'time') {
            const { base, offsets } = batch.times
            putSums(image.words, this.#count, base, offsets, row, stop)
          } else if (column.kind === 'field') {
            image.putColumn(this.#count, batch.columns[column.field], row, stop)
          } else {
            const value = run.key.tags.find(({ key }) => key === column.tag)?.value
            if (column.list === undefined) image.putText(this.#count, value, stop - row)
            else image.putNumber(this.#count, column.list.numberOf(value), stop - row)
          }
        })
        this.#count += stop - row
        row = stop
        if (this.#count === sourceRowsMax) this.flush()
      }
    }
  }

  flush(): void {
    if (this.#count === 0) return
    const images = this.#images
    const bytes: Uint8Array[] = []
    const beside: Uint8Array[] = []
    images.forEach((image, column) => {
      const { isWhole, found } = image.finish(this.#count)
      for (const extra of found) beside.push(...extraBytes(column, extra))
      if (!isWhole) bytes.push(image.imageOf(this.#count))
    })
    const rowsHead = Buffer.allocUnsafe(rowsHeadBytes)
    rowsHead.writeUInt32LE(this.#count, 0)
    rowsHead.writeUInt32LE(beside.length / 2, 4)
    const pieces = [rowsHead, Buffer.concat(beside), ...bytes]
    const size = pieces.reduce((sum, { length }) => sum + length, 0)
    this.#send([frameHead(inputs.rows, size), ...pieces], () => this.#free.push(images))
    this.#images = this.#free.pop() ?? this.#newImages()
    this.#count = 0
  }

  #newImages(): ColumnImage[] {
    return this.#columns.map((column) => new ColumnImage(widthOf(column)))
  }
}

interface Extra {
  readonly kind: number
  readonly row: number
  readonly count: number
  readonly bytes: Uint8Array
}

/** In two pieces. */
function extraBytes(column: number, { kind, row, count, bytes }: Extra): Uint8Array[] {
  const head = new Uint32Array([kind, column, row, count, bytes.length, 0])
  const filled = new Uint8Array(padded(bytes.length))
  filled.set(bytes)
  return [new Uint8Array(head.buffer, 0, extraHeadBytes), filled]
}

/** A text in rows that follow each other. */
interface TextRun {
  readonly text: string
  readonly row: number
  count: number
}

/** One column of the frame that is being filled. */
class ColumnImage {
  readonly words: Uint32Array
  readonly #width: number
  readonly #bytes: Uint8Array
  readonly #floats: Float64Array
  readonly #shorts: Uint16Array
  readonly #valid = new Uint8Array(sourceRowsMax / 8).fill(255)
  #hasHoles = false
  /** Texts that are too long for the image. */
  #long: Extra[] = []
  /** Put into the image once another text follows. */
  #run: TextRun | undefined

  constructor(width: number) {
    this.#width = width
    this.#bytes = new Uint8Array(sourceRowsMax * width)
    const { buffer } = this.#bytes
    this.words = new Uint32Array(buffer)
    this.#floats = new Float64Array(buffer)
    this.#shorts = new Uint16Array(buffer)
  }

  putColumn(at: number, column: Column, from: number, to: number): void {
    if (column.validity !== undefined) this.#putHoles(at, column.validity, from, to)
    switch (column.type) {
      case 'float':
        this.#floats.set(column.values.subarray(from, to), at)
        return
      case 'boolean':
        this.#bytes.set(column.values.subarray(from, to), at)
        return
      case 'string':
        this.#putTexts(at, column.values, column.dictionary, column.validity, from, to)
        return
    }
    if (isWide(column)) {
      const { buffer, byteOffset } = column.values.subarray(from, to)
      this.#bytes.set(new Uint8Array(buffer, byteOffset, (to - from) * 8), at * 8)
    } else putSums(this.words, at, 0n, column.values as Float64Array, from, to)
  }

  /** The same place in a list of texts in each of the rows. */
  putNumber(at: number, number: number | undefined, count: number): void {
    if (number === undefined) for (let i = 0; i < count; i++) this.#putHole(at + i)
    else if (this.#width === 1) this.#bytes.fill(number, at, at + count)
    else this.#shorts.fill(number, at, at + count)
  }

  /** The same text in each of the rows. */
  putText(row: number, text: string | undefined, count: number): void {
    if (text === undefined) {
      for (let i = 0; i < count; i++) this.#putHole(row + i)
      return
    }
    const run = this.#run
    if (run !== undefined && run.text === text && run.row + run.count === row) run.count += count
    else {
      this.#finishRun()
      this.#run = { text, row, count }
    }
  }

  #finishRun(): void {
    if (this.#run === undefined) return
    const { text, row, count } = this.#run
    this.#run = undefined
    const bytes = Buffer.from(text)
    const start = row * textStructBytes
    this.#bytes.fill(0, start, start + textStructBytes)
    if (bytes.length <= inlineTextBytesMax) {
      this.#bytes[start] = bytes.length
      this.#bytes.set(bytes, start + 4)
    } else this.#long.push({ kind: extras.text, row, count, bytes })
    for (let done = 1; done < count; done *= 2) {
      const size = Math.min(done, count - done) * textStructBytes
      this.#bytes.copyWithin(start + done * textStructBytes, start, start + size)
    }
  }

  #putTexts(
    at: number,
    entries: Uint32Array,
    dictionary: Utf8Dictionary,
    validity: Uint8Array | undefined,
    from: number,
    to: number,
  ): void {
    const { offsets, bytes } = dictionary
    for (let i = from; i < to; i++) {
      if (validity !== undefined && validity[i] === 0) continue
      const start = offsets[entries[i]]
      const end = offsets[entries[i] + 1]
      const row = at + i - from
      const place = row * textStructBytes
      this.#bytes.fill(0, place, place + textStructBytes)
      if (end - start > inlineTextBytesMax) {
        this.#long.push({ kind: extras.text, row, count: 1, bytes: bytes.slice(start, end) })
        continue
      }
      this.#bytes[place] = end - start
      for (let k = start; k < end; k++) this.#bytes[place + 4 + k - start] = bytes[k]
    }
  }

  #putHoles(at: number, validity: Uint8Array, from: number, to: number): void {
    for (let i = from; i < to; i++) if (validity[i] === 0) this.#putHole(at + i - from)
  }

  #putHole(row: number): void {
    this.#valid[row >> 3] &= ~(1 << (row & 7))
    this.#hasHoles = true
    if (this.#width === textStructBytes) {
      this.#bytes.fill(0, row * textStructBytes, (row + 1) * textStructBytes)
    }
  }

  imageOf(rowCount: number): Uint8Array {
    return this.#bytes.subarray(0, padded(rowCount * this.#width))
  }

  /** What stands beside the image; `isWhole`: instead of it. */
  finish(rowCount: number): { isWhole: boolean; found: readonly Extra[] } {
    const run = this.#run
    const isWhole = run !== undefined && run.count === rowCount
    if (isWhole) {
      this.#run = undefined
      const whole = { kind: extras.whole, row: 0, count: rowCount, bytes: Buffer.from(run.text) }
      return { isWhole, found: [whole] }
    }
    this.#finishRun()
    const found = this.#long
    this.#long = []
    if (this.#hasHoles) {
      const bytes = this.#valid.slice(0, Math.ceil(rowCount / 64) * 8)
      found.push({ kind: extras.holes, row: 0, count: rowCount, bytes })
      this.#valid.fill(255)
      this.#hasHoles = false
    }
    return { isWhole: false, found }
  }
}
