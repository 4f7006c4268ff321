// The key-value file of InfluxDB 2.x (`influxd.bolt`), as its library bbolt lays it out. Numbers are little-endian.
//
//   page    id u64 | flags u16 | count u16 | overflow u32 (further pages that belong to it) | elements | keys, values
//   flags   1 branch, 2 leaf, 4 meta
//   meta    (pages 0 and 1) magic ED0CDAED u32 | version 2 u32 | page size u32 | flags u32 | root page u64 |
//           sequence u64 | free list u64 | page count u64 | transaction u64 | FNV-1a of all before it, u64
//   branch  per element: position u32 | key length u32 | page u64
//   leaf    per element: flags u32 (1: a bucket) | position u32 | key length u32 | value length u32
//   bucket  the value of such a leaf: root page u64 | sequence u64; root 0: a leaf page follows right there
//
// Positions count from the beginning of their element. The meta page with the later transaction is the file; the other
// one is what it was before, should the later be unfinished. Everything is checked against the file's length.

import { CorruptionError } from '../../errors.js'

const magic = 0xed0cdaed
const pageHeadBytes = 16
const elementBytes = 16
const metaChecksumAt = 56
/** Deeper than any file gets: pages that lead in a circle end here. */
const depthMax = 64

export interface BoltEntry {
  readonly key: Buffer
  readonly value: Buffer
  readonly isBucket: boolean
}

interface Meta {
  readonly pageBytes: number
  readonly root: number
  readonly transaction: bigint
}

export class BoltFile {
  readonly #name: string
  readonly #bytes: Buffer
  readonly #pageBytes: number
  readonly #root: number

  /** Throws CorruptionError where it is no such file. */
  constructor(name: string, bytes: Uint8Array) {
    this.#name = name
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const meta = this.#meta()
    this.#pageBytes = meta.pageBytes
    this.#root = meta.root
  }

  /** Entries of a bucket of the top level, in key order; none where there is no such bucket. */
  *bucket(name: string): Generator<BoltEntry> {
    for (const { key, value, isBucket } of this.#pageEntries(this.#root, 0)) {
      if (!isBucket || key.toString() !== name) continue
      if (value.length < 16) throw this.#damage(0, `the bucket "${name}" is cut off`)
      const root = Number(value.readBigUInt64LE(0))
      if (root === 0) yield* this.#leaf(value.subarray(16), value.byteOffset + 16)
      else yield* this.#pageEntries(root, 0)
    }
  }

  get(bucket: string, key: string): Buffer | undefined {
    for (const entry of this.bucket(bucket)) if (entry.key.toString() === key) return entry.value
    return undefined
  }

  #meta(): Meta {
    const first = this.#metaAt(0)
    // The second page lies where the size of pages says; where the first is unfinished, it has to be looked for.
    const sizes = first === undefined ? [4096, 8192, 16_384, 65_536] : [first.pageBytes]
    const others = sizes.map((size) => this.#metaAt(size))
    const found = [first, ...others].filter((meta) => meta !== undefined)
    if (found.length === 0) throw this.#damage(0, 'it is no key-value file of InfluxDB 2')
    return found.reduce((a, b) => (a.transaction >= b.transaction ? a : b))
  }

  #metaAt(offset: number): Meta | undefined {
    const bytes = this.#bytes
    const start = offset + pageHeadBytes
    if (start + metaChecksumAt + 8 > bytes.length) return undefined
    if (bytes.readUInt32LE(start) !== magic || bytes.readUInt32LE(start + 4) !== 2) return undefined
    const checked = bytes.subarray(start, start + metaChecksumAt)
    if (fnv1a(checked) !== bytes.readBigUInt64LE(start + metaChecksumAt)) return undefined
    return {
      pageBytes: bytes.readUInt32LE(start + 8),
      root: Number(bytes.readBigUInt64LE(start + 16)),
      transaction: bytes.readBigUInt64LE(start + 48),
    }
  }

  *#pageEntries(id: number, depth: number): Generator<BoltEntry> {
    if (depth > depthMax) throw this.#damage(0, 'its pages lead in a circle')
    const offset = id * this.#pageBytes
    const page = this.#slice(offset, pageHeadBytes, 0)
    const flags = page.readUInt16LE(8)
    const length = (page.readUInt32LE(12) + 1) * this.#pageBytes
    const whole = this.#slice(offset, Math.min(length, this.#bytes.length - offset), 0)
    if ((flags & 2) !== 0) {
      yield* this.#leaf(whole, offset)
      return
    }
    if ((flags & 1) === 0) throw this.#damage(offset, 'a page is neither a branch nor a leaf')
    const count = whole.readUInt16LE(10)
    for (let i = 0; i < count; i++) {
      const at = pageHeadBytes + i * elementBytes
      if (at + elementBytes > whole.length) throw this.#damage(offset, 'a page is cut off')
      yield* this.#pageEntries(Number(whole.readBigUInt64LE(at + 8)), depth + 1)
    }
  }

  *#leaf(page: Buffer, offset: number): Generator<BoltEntry> {
    if (page.length < pageHeadBytes) throw this.#damage(offset, 'a page is cut off')
    const count = page.readUInt16LE(10)
    for (let i = 0; i < count; i++) {
      const at = pageHeadBytes + i * elementBytes
      if (at + elementBytes > page.length) throw this.#damage(offset, 'a page is cut off')
      const keyAt = at + page.readUInt32LE(at + 4)
      const valueAt = keyAt + page.readUInt32LE(at + 8)
      const end = valueAt + page.readUInt32LE(at + 12)
      if (end > page.length) throw this.#damage(offset, 'a value reaches beyond its page')
      const isBucket = (page.readUInt32LE(at) & 1) !== 0
      yield { key: page.subarray(keyAt, valueAt), value: page.subarray(valueAt, end), isBucket }
    }
  }

  #slice(offset: number, length: number, least: number): Buffer {
    if (offset < 0 || length < least || offset + length > this.#bytes.length) {
      throw this.#damage(offset, 'a page lies beyond the end of the file')
    }
    return this.#bytes.subarray(offset, offset + length)
  }

  #damage(offset: number, message: string): CorruptionError {
    return new CorruptionError(this.#name, offset, message)
  }
}

/** Of 64 bits. */
export function fnv1a(bytes: Uint8Array): bigint {
  let hash = 0xcbf29ce484222325n
  for (const byte of bytes) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n)
  return hash
}
