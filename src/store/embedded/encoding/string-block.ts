// Strings: each distinct string of a block once, in order of first appearance, and an integer block
// of positions. Repeats make positions narrow, all-distinct strings make them count up (stepped:
// nothing per row), a constant is one.
//
//   u32 distinct count, u32 flags (1 = deflated), u32 stored byte count, u32 byte count
//   integer block of lengths, the bytes, integer block of positions

import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { ByteTable, hashRange, viewOf } from '../../../column/byte-table.js'
import { CodeMap } from '../../../column/code-map.js'
import type { StringColumn, Utf8Dictionary } from '../../../column/column.js'
import type { ByteReader } from './byte-reader.js'
import type { ByteWriter } from './byte-writer.js'
import type { Codec } from './codec.js'
import { decodeIntegers, readIntegers, writeIntegers } from './integer-block.js'

const flagDeflated = 1

/** A table of more than so much is not kept for the next block. */
const keptBytesMax = 1 << 20

/** The strings of the block that is being written. */
let distinct = new ByteTable()

/** Below this deflate rarely pays for its own header. */
const deflateBytesMin = 96

export function writeStrings(writer: ByteWriter, column: StringColumn, count: number): void {
  writer.align4()
  const { values, dictionary } = column
  const view = viewOf(dictionary.bytes)
  const known = new CodeMap(dictionary.count, count)
  const positions = new Float64Array(count)
  distinct.clear()
  for (let i = 0; i < count; i++) {
    const code = values[i]
    let position = known.get(code)
    if (position < 0) {
      position = intern(dictionary, view, code)
      known.set(code, position)
    }
    positions[i] = position
  }
  writeDictionary(writer)
  writeIntegers(writer, positions, count)
  if (distinct.byteLength > keptBytesMax) distinct = new ByteTable()
}

/** Entries may be equal, where a dictionary was put together from several. */
function intern({ bytes, offsets }: Utf8Dictionary, view: DataView, code: number): number {
  const start = offsets[code]
  const length = offsets[code + 1] - start
  const hash = hashRange(view, start, length)
  const position = distinct.find(view, start, length, hash)
  return position >= 0 ? position : distinct.add(bytes, start, length, hash)
}

function writeDictionary(writer: ByteWriter): void {
  const { arena, lengths: byteLengths, used: byteCount, count } = distinct
  const bytes = arena.subarray(0, byteCount)
  let stored = bytes
  if (byteCount >= deflateBytesMin) {
    const deflated = deflateRawSync(bytes)
    if (deflated.length < byteCount) stored = deflated
  }
  writer.u32(count)
  writer.u32(stored === bytes ? 0 : flagDeflated)
  writer.u32(stored.length)
  writer.u32(byteCount)
  const lengths = new Float64Array(count)
  for (let i = 0; i < count; i++) lengths[i] = byteLengths[i]
  writeIntegers(writer, lengths, count)
  writer.raw(stored)
}

/** The dictionary that was read last: parts of one block are read one by one, and it takes longest. */
export class KeptDictionary {
  #reader: ByteReader | undefined
  #at = 0
  #end = 0
  #dictionary: Utf8Dictionary | undefined

  /** Of the block that the reader stands at, which is moved behind it. */
  read(reader: ByteReader, count: number): Utf8Dictionary {
    const at = reader.fileOffset + reader.offset
    if (this.#dictionary !== undefined && this.#reader === reader && this.#at === at) {
      reader.skip(this.#end - at)
      return this.#dictionary
    }
    this.#dictionary = readDictionary(reader, count)
    this.#reader = reader
    this.#at = at
    this.#end = reader.fileOffset + reader.offset
    return this.#dictionary
  }
}

/** The dictionary; positions `from` up to `to` go to the codec's values. */
export function readDictionaryAndPositions(
  reader: ByteReader,
  count: number,
  codec: Codec,
  kept: KeptDictionary,
  from: number,
  to: number,
): Utf8Dictionary {
  reader.align4()
  const dictionary = kept.read(reader, count)
  decodeIntegers(reader, count, codec, from, to)
  const { min, max } = codec.summary(to - from, codec.values + from * 8)
  if (!(max < dictionary.count || max < min)) reader.fail('position outside the dictionary')
  return dictionary
}

function readDictionary(reader: ByteReader, count: number): Utf8Dictionary {
  const distinctCount = reader.u32()
  const flags = reader.u32()
  const storedBytes = reader.u32()
  const byteCount = reader.u32()
  if (distinctCount > count || distinctCount === 0) reader.fail('bad dictionary size')
  const lengths = new Float64Array(distinctCount)
  readIntegers(reader, distinctCount, lengths)
  const offsets = new Uint32Array(distinctCount + 1)
  for (let i = 0; i < distinctCount; i++) offsets[i + 1] = offsets[i] + lengths[i]
  if (offsets[distinctCount] !== byteCount) reader.fail('dictionary lengths do not add up')
  const stored = reader.raw(storedBytes)
  const bytes =
    (flags & flagDeflated) === 0
      ? stored.slice()
      : inflateRawSync(stored, { maxOutputLength: Math.max(byteCount, 1) })
  if (bytes.length !== byteCount) reader.fail('dictionary has the wrong size')
  return { offsets, bytes, count: distinctCount }
}
