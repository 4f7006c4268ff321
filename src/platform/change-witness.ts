// How many changes a database has acknowledged, written down beside it: SQLite ends its log silently at the first frame
// whose checksum is wrong, and everything behind it is gone without a word. The number is synced after the database has
// committed and before anybody is answered; a database that has counted fewer has lost changes, or is another one.
//
//   slot    u32 magic, u32 CRC-32 of the 8 bytes behind, f64 number of changes, zero bytes up to 64
//
// Two slots are written in turn, in place: one is always whole, and a full disk takes them too.

import { closeSync, fdatasyncSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { crc32 } from 'node:zlib'
import { assert } from '../errors.js'
import { diskFailure } from './disk-failure.js'

const magic = 0x6e74776d
const slotBytes = 64

export class ChangeWitness {
  readonly path: string
  /** Undefined once it is closed: the same number may be another file then. */
  #file: number | undefined
  #number: number
  #slot: number

  /** Made where there is none. */
  static open(path: string): ChangeWitness {
    try {
      return new ChangeWitness(path, openFile(path))
    } catch (error) {
      throw diskFailure('open', path, error)
    }
  }

  private constructor(path: string, file: number) {
    this.path = path
    this.#file = file
    const numbers = [0, 1].map((slot) => readSlot(file, slot))
    this.#number = Math.max(0, ...numbers)
    this.#slot = numbers[1] > numbers[0] ? 0 : 1
  }

  /** The changes that were acknowledged, as far as it is known. */
  get number(): number {
    return this.#number
  }

  /** Durable when it returns; a lower number than the last changes nothing. */
  note(number: number): void {
    if (number > this.#number) this.#write(number)
  }

  /** What was lost is accepted: from now on this many count. */
  reset(number: number): void {
    // Both: the other one has a higher number.
    this.#write(number)
    this.#write(number)
  }

  #write(number: number): void {
    const slot = Buffer.alloc(slotBytes)
    slot.writeUInt32LE(magic, 0)
    slot.writeDoubleLE(number, 8)
    slot.writeUInt32LE(crc32(slot.subarray(8, 16)), 4)
    assert(this.#file !== undefined, `${this.path} is closed`)
    try {
      writeSync(this.#file, slot, 0, slotBytes, this.#slot * slotBytes)
      fdatasyncSync(this.#file)
    } catch (error) {
      throw diskFailure('write', this.path, error)
    }
    this.#number = number
    this.#slot = 1 - this.#slot
  }

  close(): void {
    const file = this.#file
    this.#file = undefined
    if (file !== undefined) closeSync(file)
  }
}

function openFile(path: string): number {
  try {
    return openSync(path, 'r+')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  const file = openSync(path, 'wx+')
  writeSync(file, Buffer.alloc(2 * slotBytes), 0, 2 * slotBytes, 0)
  fdatasyncSync(file)
  const folder = openSync(dirname(path), 'r')
  fsyncSync(folder)
  closeSync(folder)
  return file
}

/** 0: never written, or not whole. */
function readSlot(file: number, slot: number): number {
  const bytes = Buffer.alloc(slotBytes)
  const read = readSync(file, bytes, 0, slotBytes, slot * slotBytes)
  if (read < 16 || bytes.readUInt32LE(0) !== magic) return 0
  return crc32(bytes.subarray(8, 16)) === bytes.readUInt32LE(4) ? bytes.readDoubleLE(8) : 0
}
