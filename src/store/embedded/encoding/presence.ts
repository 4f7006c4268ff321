// Which rows of a column have a value: a byte for each part of 128 rows, and bits only for those
// parts where some have one and some have none.
//
//   u8[parts]              0 none, 1 all, 2 some; zero bytes up to a multiple of 4
//   per part with some     u32[4], a bit per row, low bits first

import type { ByteReader } from './byte-reader.js'
import type { ByteWriter } from './byte-writer.js'
import { partCount, partRows } from './parts-block.js'

// Persisted: never change.
const none = 0
const all = 1
const some = 2

const wordsPerPart = partRows / 32

export function writePresence(writer: ByteWriter, validity: Uint8Array, rowCount: number): void {
  const parts = partCount(rowCount)
  const marksAt = writer.length
  for (let part = 0; part < parts; part++) {
    const start = part * partRows
    const stop = Math.min(start + partRows, rowCount)
    let present = 0
    for (let row = start; row < stop; row++) present += validity[row]
    writer.u8(present === 0 ? none : present === stop - start ? all : some)
  }
  writer.align4()
  for (let part = 0; part < parts; part++) {
    if (writer.bytes[marksAt + part] === some) writeBits(writer, validity, part, rowCount)
  }
}

function writeBits(writer: ByteWriter, validity: Uint8Array, part: number, rowCount: number): void {
  for (let word = 0; word < wordsPerPart; word++) {
    const start = part * partRows + word * 32
    let bits = 0
    for (let i = 0; i < 32 && start + i < rowCount; i++) bits |= validity[start + i] << i
    writer.u32(bits >>> 0)
  }
}

/** Values before the first part that was read, in the parts read, and in all. */
export interface PresentCounts {
  before: number
  within: number
  total: number
}

/** validity[row] = 1 or 0, for the parts that hold rows `from` up to `to`. The reader moves behind the marks. */
export function readPresence(
  reader: ByteReader,
  rowCount: number,
  validity: Uint8Array,
  from: number,
  to: number,
): PresentCounts {
  const parts = partCount(rowCount)
  const marksAt = reader.offset
  reader.skip(parts)
  reader.align4()
  const counts = { before: 0, within: 0, total: 0 }
  const firstPart = from >>> 7
  const stopPart = partCount(to)
  for (let part = 0; part < parts; part++) {
    const mark = reader.bytes[marksAt + part]
    const start = part * partRows
    const rows = Math.min(partRows, rowCount - start)
    const isWanted = part >= firstPart && part < stopPart
    let present = 0
    if (mark === all) present = rows
    else if (mark === some) {
      const word = reader.offset >>> 2
      reader.skip(wordsPerPart * 4)
      for (let w = 0; w < wordsPerPart; w++) present += bitCount(reader.words[word + w])
      if (isWanted) spreadBits(reader.words, word, validity, start, rows)
    } else if (mark !== none) reader.fail(`presence ${mark}`)
    if (isWanted && mark !== some) validity.fill(mark, start, start + rows)
    if (part < firstPart) counts.before += present
    else if (isWanted) counts.within += present
    counts.total += present
  }
  return counts
}

function spreadBits(
  words: Uint32Array,
  at: number,
  validity: Uint8Array,
  start: number,
  rows: number,
): void {
  const stop = start + rows
  for (let row = start, word = at; row < stop; word++) {
    let bits = words[word]
    for (const wordStop = Math.min(stop, row + 32); row < wordStop; row++) {
      validity[row] = bits & 1
      bits >>>= 1
    }
  }
}

function bitCount(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555)
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333)
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}
