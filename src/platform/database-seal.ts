// A checksum over the file of a database, written down beside it: SQLite's pages have none, so that a byte which the
// disk has flipped would be another name, or another permission of a token. The file changes only where its log is
// carried over into it, and whoever does that breaks the seal first and seals the file again when it is done. A process
// that ends in between leaves a broken seal, which says nothing.
//
//   seal    u32 magic, u32 CRC-32 of the bytes behind, f64 changes, f64 bytes of the file, u32 CRC-32 of the file

import {
  closeSync,
  constants,
  existsSync,
  fdatasyncSync,
  openSync,
  readFileSync,
  readSync,
  statSync,
  writeSync,
} from 'node:fs'
import { crc32 } from 'node:zlib'
import { diskFailure } from './disk-failure.js'
import type { Work } from './turns.js'

const magic = 0x6c616573
const sealBytes = 28
/** Read at once, between two turns of others. */
const pieceBytes = 1 << 20

export interface FileContent {
  readonly byteLength: number
  readonly checksum: number
}

export interface SealedContent extends FileContent {
  /** How many changes it knew of. */
  readonly changes: number
}

export class DatabaseSeal {
  readonly path: string

  constructor(databasePath: string) {
    this.path = `${databasePath}-seal`
  }

  /** Undefined: there is none, or it is broken. */
  read(): SealedContent | undefined {
    const seal = this.#attempt(() => (existsSync(this.path) ? readFileSync(this.path) : undefined))
    if (seal?.length !== sealBytes || seal.readUInt32LE(0) !== magic) return undefined
    if (crc32(seal.subarray(8)) !== seal.readUInt32LE(4)) return undefined
    return {
      changes: seal.readDoubleLE(8),
      byteLength: seal.readDoubleLE(16),
      checksum: seal.readUInt32LE(24),
    }
  }

  /** Durable when it returns. Where there is none yet, none has to be broken: to make a file takes a disk 4 ms. */
  break(): void {
    if (this.#attempt(() => existsSync(this.path))) this.#write(Buffer.alloc(sealBytes))
  }

  /** Durable when it returns. */
  write({ changes, byteLength, checksum }: SealedContent): void {
    const seal = Buffer.alloc(sealBytes)
    seal.writeUInt32LE(magic, 0)
    seal.writeDoubleLE(changes, 8)
    seal.writeDoubleLE(byteLength, 16)
    seal.writeUInt32LE(checksum, 24)
    seal.writeUInt32LE(crc32(seal.subarray(8)), 4)
    this.#write(seal)
  }

  /** In place, so that a full disk takes it too. A file that is made here and lost in a crash was no seal either. */
  #write(seal: Buffer): void {
    this.#attempt(() => {
      const file = openSync(this.path, constants.O_RDWR | constants.O_CREAT)
      try {
        writeSync(file, seal, 0, sealBytes, 0)
        fdatasyncSync(file)
      } finally {
        closeSync(file)
      }
    })
  }

  #attempt<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      throw diskFailure('seal the catalog', this.path, error)
    }
  }
}

/** Of a file that nobody changes meanwhile. */
export function* readContent(path: string): Work<FileContent> {
  const file = openSync(path, 'r')
  try {
    const piece = Buffer.alloc(pieceBytes)
    let [byteLength, checksum] = [0, 0]
    for (;;) {
      const count = readSync(file, piece, 0, pieceBytes, byteLength)
      if (count === 0) return { byteLength, checksum }
      checksum = crc32(piece.subarray(0, count), checksum)
      byteLength += count
      yield
    }
  } finally {
    closeSync(file)
  }
}

/** 0 where there is no such file. */
export function lengthOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
