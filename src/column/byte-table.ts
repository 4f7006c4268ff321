// Numbered byte strings: each distinct string of bytes gets the next number, and its bytes lie in
// one arena. Open addressing with linear probing over typed arrays, so that a million entries are
// four arrays and no objects: the bytes themselves plus 8 bytes an entry plus 4 to 8 bytes of
// table.
//
// The arena and the offsets may live in shared memory, so that another thread can read entries that
// exist.

const firstArenaBytes = 1024
const firstTableSize = 64

/** FNV-1a over 32-bit steps with a final mix: short keys with long common prefixes spread well. */
export function hashBytes(bytes: Uint8Array, start: number, stop: number): number {
  let hash = 0x811c9dc5 ^ (stop - start)
  let i = start
  for (; i + 4 <= stop; i += 4) {
    const word = bytes[i] | (bytes[i + 1] << 8) | (bytes[i + 2] << 16) | (bytes[i + 3] << 24)
    hash = Math.imul(hash ^ word, 0x9e3779b1)
    hash ^= hash >>> 15
  }
  for (; i < stop; i++) hash = Math.imul(hash ^ bytes[i], 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  return (hash ^ (hash >>> 13)) >>> 0
}

export function equalBytes(
  a: Uint8Array,
  aStart: number,
  b: Uint8Array,
  bStart: number,
  length: number,
): boolean {
  for (let i = 0; i < length; i++) if (a[aStart + i] !== b[bStart + i]) return false
  return true
}

/** The arrays of a table at one moment, for a reader on another thread. */
export interface ByteTableView {
  readonly arena: Uint8Array
  readonly offsets: Uint32Array
  readonly count: number
}

export class ByteTable {
  #arena: Uint8Array
  #offsets: Uint32Array
  #hashes = new Uint32Array(firstTableSize)
  #slots = new Uint32Array(firstTableSize * 2)
  #count = 0
  readonly #shared: boolean

  constructor(options: { shared?: boolean } = {}) {
    this.#shared = options.shared ?? false
    this.#arena = new Uint8Array(this.#buffer(firstArenaBytes))
    this.#offsets = new Uint32Array(this.#buffer(4 * (firstTableSize + 1)))
  }

  get count(): number {
    return this.#count
  }

  get byteLength(): number {
    return (
      this.#arena.byteLength +
      this.#offsets.byteLength +
      this.#hashes.byteLength +
      this.#slots.byteLength
    )
  }

  /** The number of these bytes, or -1. */
  find(bytes: Uint8Array, start: number, stop: number): number {
    return this.#findHashed(bytes, start, stop, hashBytes(bytes, start, stop))
  }

  /** The number of these bytes, given now if they are new. */
  intern(bytes: Uint8Array, start: number, stop: number): number {
    const hash = hashBytes(bytes, start, stop)
    const known = this.#findHashed(bytes, start, stop, hash)
    if (known >= 0) return known
    this.#reserve(stop - start)
    const id = this.#count++
    const at = this.#offsets[id]
    const length = stop - start
    if (length < 64) for (let i = 0; i < length; i++) this.#arena[at + i] = bytes[start + i]
    else this.#arena.set(bytes.subarray(start, stop), at)
    this.#offsets[id + 1] = at + length
    this.#hashes[id] = hash
    this.#place(id, hash)
    return id
  }

  get(id: number): Uint8Array {
    return this.#arena.subarray(this.#offsets[id], this.#offsets[id + 1])
  }

  text(id: number): string {
    const { buffer, byteOffset } = this.#arena
    const start = this.#offsets[id]
    return Buffer.from(buffer, byteOffset + start, this.#offsets[id + 1] - start).toString('utf8')
  }

  view(): ByteTableView {
    return { arena: this.#arena, offsets: this.#offsets, count: this.#count }
  }

  #findHashed(bytes: Uint8Array, start: number, stop: number, hash: number): number {
    const slots = this.#slots
    const mask = slots.length - 1
    const offsets = this.#offsets
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const entry = slots[slot]
      if (entry === 0) return -1
      const id = entry - 1
      if (this.#hashes[id] !== hash) continue
      const at = offsets[id]
      if (offsets[id + 1] - at !== stop - start) continue
      if (equalBytes(this.#arena, at, bytes, start, stop - start)) return id
    }
  }

  #place(id: number, hash: number): void {
    const mask = this.#slots.length - 1
    let slot = hash & mask
    while (this.#slots[slot] !== 0) slot = (slot + 1) & mask
    this.#slots[slot] = id + 1
  }

  #reserve(byteCount: number): void {
    const needed = this.#offsets[this.#count] + byteCount
    if (needed > this.#arena.length) {
      const grown = new Uint8Array(this.#buffer(grownSize(this.#arena.length, needed)))
      grown.set(this.#arena)
      this.#arena = grown
    }
    if (this.#count < this.#hashes.length) return
    const capacity = grownSize(this.#hashes.length, this.#count + 1)
    const offsets = new Uint32Array(this.#buffer(4 * (capacity + 1)))
    offsets.set(this.#offsets)
    this.#offsets = offsets
    const hashes = new Uint32Array(capacity)
    hashes.set(this.#hashes)
    this.#hashes = hashes
    // At most half full: linear probing stays short.
    if (capacity * 2 <= this.#slots.length) return
    let size = this.#slots.length
    while (size < capacity * 2) size *= 2
    this.#slots = new Uint32Array(size)
    for (let id = 0; id < this.#count; id++) this.#place(id, hashes[id])
  }

  #buffer(byteLength: number): ArrayBuffer | SharedArrayBuffer {
    return this.#shared ? new SharedArrayBuffer(byteLength) : new ArrayBuffer(byteLength)
  }
}

/** Doubles while small, grows by half when large, so that a big table never wastes as much again. */
function grownSize(size: number, needed: number): number {
  let grown = size
  while (grown < needed) grown = grown < 1 << 24 ? grown * 2 : Math.ceil((grown * 1.5) / 4) * 4
  return grown
}
