// A TSM file: blocks, then an index of them by key, then where the index begins.
//
//   magic 16 D1 16 D1 | version 1 | blocks ... | index | offset of the index u64
//   index, per key: length u16 | key | type u8 | count u16 | per block: min i64 | max i64 | offset u64 | size u32
//
// Keys ascend by their bytes. A key is a series key, `#!~#`, and the name of a field. The index is held as bytes and
// walked from the front: a million keys are no million objects.

import { CorruptionError } from '../../errors.js'
import { blockTypes, countBlock, type DecodedPoints, decodeBlock } from '../encoding/block.js'
import { ByteCursor } from '../encoding/byte-cursor.js'
import { DamageError } from '../encoding/damage.js'
import { TimesMemo } from '../encoding/time-block.js'

/** A file that can be read anywhere. */
export interface RandomBytes {
  readonly name: string
  readonly size: number
  /** What it returns stays as it is. */
  read(position: number, length: number): Uint8Array
}

const magic = 0x16d116d1
const headerBytes = 5
const footerBytes = 8
const entryBytes = 28

/** Where a block lies, and what its moments lie between, both ends included. */
export interface BlockPlace {
  readonly min: bigint
  readonly max: bigint
  readonly offset: number
  readonly size: number
}

export class TsmFile {
  readonly name: string
  readonly size: number
  readonly #source: RandomBytes
  readonly index: Uint8Array
  readonly #indexStart: number
  readonly #times = new TimesMemo()

  /** Throws CorruptionError where it is no such file. */
  constructor(source: RandomBytes) {
    this.name = source.name
    this.size = source.size
    this.#source = source
    if (source.size < headerBytes + footerBytes) throw this.#damage(0, 'it is too short')
    const header = new ByteCursor(source.read(0, headerBytes))
    if (header.uint32() !== magic) throw this.#damage(0, 'it does not begin as a TSM file does')
    const version = header.uint8()
    if (version !== 1) throw this.#damage(4, `version ${version} is unknown`)
    const end = source.size - footerBytes
    const start = new ByteCursor(source.read(end, footerBytes)).uint64()
    if (start < headerBytes || start > end) throw this.#damage(end, 'its index is nowhere')
    this.#indexStart = Number(start)
    this.index = source.read(this.#indexStart, end - this.#indexStart)
  }

  /** Throws CorruptionError with the place of the block. See `decodeBlock`. */
  decode(place: BlockPlace, base: bigint, isNarrow: boolean): DecodedPoints {
    return this.#at(place, (block) => {
      const points = decodeBlock(block, base, isNarrow, this.#times)
      const { offsets } = points
      // The index has no checksum of its own.
      const isAsSaid =
        offsets[0] === Number(place.min - base) &&
        offsets[offsets.length - 1] === Number(place.max - base)
      if (!isAsSaid) throw new DamageError('its times are not those that the index says')
      return points
    })
  }

  count(place: BlockPlace): number {
    return this.#at(place, countBlock)
  }

  #at<T>(place: BlockPlace, use: (block: Uint8Array) => T): T {
    const { offset, size } = place
    if (offset < headerBytes || offset + size > this.#indexStart) {
      throw this.#damage(offset, 'a block lies outside of the blocks')
    }
    try {
      return use(this.#source.read(offset, size))
    } catch (error) {
      throw error instanceof DamageError ? this.#damage(offset, error.message) : error
    }
  }

  /** For the cursor: a place in the index. */
  indexDamage(at: number, message: string): CorruptionError {
    return this.#damage(this.#indexStart + at, message)
  }

  #damage(offset: number, message: string): CorruptionError {
    return new CorruptionError(this.name, offset, message)
  }
}

/** Walks over the keys of an index. Before the first `next` it stands nowhere. */
export class IndexCursor {
  readonly file: TsmFile
  readonly #cursor: ByteCursor
  readonly #view: DataView
  key: Uint8Array
  /** Of its values; a place in `blockTypes`. */
  type = 0
  blockCount = 0
  #entriesStart = 0

  constructor(file: TsmFile) {
    this.file = file
    this.#cursor = new ByteCursor(file.index)
    const { buffer, byteOffset, byteLength } = file.index
    this.#view = new DataView(buffer, byteOffset, byteLength)
    this.key = file.index.subarray(0, 0)
  }

  /** False at the end. Throws CorruptionError. */
  next(): boolean {
    const cursor = this.#cursor
    if (cursor.isAtEnd) return false
    const at = cursor.at
    try {
      const keyBytes = cursor.uint16()
      this.key = cursor.take(keyBytes)
      this.type = cursor.uint8()
      this.blockCount = cursor.uint16()
      this.#entriesStart = cursor.skip(this.blockCount * entryBytes)
    } catch (error) {
      throw error instanceof DamageError ? this.file.indexDamage(at, error.message) : error
    }
    if (blockTypes[this.type] === undefined) {
      throw this.file.indexDamage(at, `the type ${this.type} is unknown`)
    }
    return true
  }

  places(): BlockPlace[] {
    const view = this.#view
    const places: BlockPlace[] = []
    for (let i = 0, at = this.#entriesStart; i < this.blockCount; i++, at += entryBytes) {
      const offset = view.getUint32(at + 16) * 2 ** 32 + view.getUint32(at + 20)
      const size = view.getUint32(at + 24)
      places.push({ min: view.getBigInt64(at), max: view.getBigInt64(at + 8), offset, size })
    }
    return places
  }
}
