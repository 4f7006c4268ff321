// Numbered byte strings: all bytes in one arena, a few numbers per string in typed arrays, found by
// hash (open addressing, linear probing). A million strings cost their bytes and some 25-40 bytes
// each, and no objects. With `shared` another thread can read the strings that exist.

/** Most tables of a bucket with many measurements hold a few names: arrays of up to 64 bytes lie in V8's own heap. */
const slotsMin = 4
const arenaBytesMin = 64

/** Of the slots that many may be taken: four are looked at then for a string that is not there, two for one that is. */
const slotsFilledMax = 5 / 8

/** Tables with more strings grow by a quarter. */
const doublingMax = 4096

/** Up to here a loop copies faster than the two objects that `set` needs are made. */
const copyLoopMax = 128

/**
 * Compares four bytes at a time; the last step overlaps so that only strings below four bytes go
 * byte by byte.
 */
export function equalRange(
  a: DataView,
  aStart: number,
  b: DataView,
  bStart: number,
  length: number,
): boolean {
  const last = length - 4
  if (last < 0) {
    for (let i = 0; i < length; i++) {
      if (a.getUint8(aStart + i) !== b.getUint8(bStart + i)) return false
    }
    return true
  }
  for (let i = 0; i < last; i += 4) {
    if (a.getInt32(aStart + i, true) !== b.getInt32(bStart + i, true)) return false
  }
  return a.getInt32(aStart + last, true) === b.getInt32(bStart + last, true)
}

export function hashRange(view: DataView, start: number, length: number): number {
  let h = length | 0
  const end = start + length
  let i = start
  for (; i + 4 <= end; i += 4) {
    h = Math.imul(h ^ view.getInt32(i, true), -1640531535)
    h ^= h >>> 15
  }
  for (; i < end; i++) {
    h = Math.imul(h ^ view.getUint8(i), -2048144777)
    h ^= h >>> 13
  }
  h = Math.imul(h ^ (h >>> 16), -1028477379)
  return h ^ (h >>> 14)
}

export function copyBytes(
  from: Uint8Array,
  start: number,
  stop: number,
  to: Uint8Array,
  at: number,
): void {
  if (stop - start > copyLoopMax) to.set(from.subarray(start, stop), at)
  else for (let i = start; i < stop; i++) to[at + i - start] = from[i]
}

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/**
 * A view of the buffer that strings came from last: usually the next one comes from there too. Who has many tables
 * gives them one: a thousand tags would hold on to as many buffers, each as large as all keys were when it met one.
 */
export class SourceView {
  #view: DataView | undefined

  of(bytes: Uint8Array): DataView {
    let view = this.#view
    if (view === undefined || view.buffer !== bytes.buffer) {
      view = new DataView(bytes.buffer)
      this.#view = view
    }
    return view
  }
}

export interface ByteTableOptions {
  /** Whether other threads will look at the strings. */
  readonly shared?: boolean
  /** The table's own where none is given. */
  readonly source?: SourceView
}

/** The strings of a table at one moment, for a reader on another thread. */
export interface ByteTableView {
  readonly arena: Uint8Array
  readonly starts: Uint32Array
  readonly lengths: Uint32Array
  readonly count: number
}

export class ByteTable implements ByteTableView {
  count = 0
  arena: Uint8Array
  view: DataView
  /** Bytes of the arena in use. */
  used = 0
  starts: Uint32Array
  lengths: Uint32Array
  #hashes = new Int32Array(slotsMin)
  /** Number of the string plus one; 0 is free. */
  #slots = new Int32Array(slotsMin * 2)
  /** With more strings the slots would be too full. */
  #countMax = slotsMin
  readonly #shared: boolean
  readonly #source: SourceView
  #texts: Buffer | undefined

  constructor(options: ByteTableOptions = {}) {
    this.#shared = options.shared ?? false
    this.#source = options.source ?? new SourceView()
    this.arena = new Uint8Array(this.#buffer(arenaBytesMin))
    this.view = viewOf(this.arena)
    this.starts = this.words(slotsMin)
    this.lengths = this.words(slotsMin)
  }

  get byteLength(): number {
    return this.arena.byteLength + this.starts.length * 12 + this.#slots.length * 4
  }

  get(id: number): Uint8Array {
    const start = this.starts[id]
    return this.arena.subarray(start, start + this.lengths[id])
  }

  text(id: number): string {
    const start = this.starts[id]
    return this.#spelling().toString('utf8', start, start + this.lengths[id])
  }

  /** One view for all texts: one for each is most of the garbage of a long list of names. */
  #spelling(): Buffer {
    const { buffer, byteOffset, byteLength } = this.arena
    if (this.#texts?.buffer !== buffer) this.#texts = Buffer.from(buffer, byteOffset, byteLength)
    return this.#texts
  }

  /** What another thread may look at. */
  shareable(): ByteTableView {
    const { arena, starts, lengths, count } = this
    return { arena, starts, lengths, count }
  }

  /** The number of the bytes from `start` to `stop`, or -1. */
  findBytes(bytes: Uint8Array, start: number, stop: number): number {
    const view = this.#source.of(bytes)
    const at = bytes.byteOffset + start
    return this.find(view, at, stop - start, hashRange(view, at, stop - start))
  }

  /** The number of the bytes from `start` to `stop`, given now if they are new. */
  intern(bytes: Uint8Array, start: number, stop: number): number {
    const view = this.#source.of(bytes)
    const at = bytes.byteOffset + start
    const hash = hashRange(view, at, stop - start)
    const known = this.find(view, at, stop - start, hash)
    return known >= 0 ? known : this.add(bytes, start, stop - start, hash)
  }

  protected hashOf(bytes: Uint8Array): number {
    return hashRange(this.#source.of(bytes), bytes.byteOffset, bytes.length)
  }

  /** The number of the string, or -1. */
  find(view: DataView, start: number, length: number, hash: number): number {
    const slots = this.#slots
    const mask = slots.length - 1
    for (let i = hash & mask; slots[i] !== 0; i = (i + 1) & mask) {
      const id = slots[i] - 1
      if (this.#hashes[id] !== hash || this.lengths[id] !== length) continue
      if (equalRange(view, start, this.view, this.starts[id], length)) return id
    }
    return -1
  }

  /** The string must not be in the table yet. */
  add(bytes: Uint8Array, start: number, length: number, hash: number): number {
    return this.addAt(this.count, bytes, start, length, hash)
  }

  /** The same under a number of the caller's choice that is free: those that are left out stay empty. */
  protected addAt(
    id: number,
    bytes: Uint8Array,
    start: number,
    length: number,
    hash: number,
  ): number {
    if (id >= this.starts.length) this.#grow(id + 1)
    if (id >= this.#countMax) this.#growSlots(id + 1)
    if (id >= this.count) this.count = id + 1
    this.starts[id] = this.append(bytes, start, length)
    this.lengths[id] = length
    this.#hashes[id] = hash
    this.#claim(id)
    return id
  }

  /** Puts bytes into the arena that no number names, and says where. */
  append(bytes: Uint8Array, start: number, length: number): number {
    const at = this.used
    if (at + length > this.arena.length) this.#growArena(at + length)
    copyBytes(bytes, start, start + length, this.arena, at)
    this.used = at + length
    return at
  }

  /**
   * Safe without tombstones: nothing was added after it, so no probe runs over its slot to another
   * string.
   */
  removeLast(): void {
    const id = --this.count
    const slots = this.#slots
    const mask = slots.length - 1
    let i = this.#hashes[id] & mask
    while (slots[i] !== id + 1) i = (i + 1) & mask
    slots[i] = 0
    this.used = this.starts[id]
  }

  /** Without any string; its memory serves for others. */
  clear(): void {
    this.count = 0
    this.used = 0
    this.#slots.fill(0)
  }

  #claim(id: number): void {
    const slots = this.#slots
    const mask = slots.length - 1
    let i = this.#hashes[id] & mask
    while (slots[i] !== 0) i = (i + 1) & mask
    slots[i] = id + 1
  }

  /** Whether a number below the count stands for a string: all do, unless some are left out. */
  protected isFilled(_id: number): boolean {
    return true
  }

  #grow(countMin: number): void {
    const size = this.starts.length
    // Hundreds of tags with thousands of values each must not hold half their size empty.
    const capacity = Math.max(countMin, size < doublingMax ? size * 2 : size + (size >>> 2))
    this.starts = this.#grown(this.starts, capacity)
    this.lengths = this.#grown(this.lengths, capacity)
    const hashes = new Int32Array(capacity)
    hashes.set(this.#hashes)
    this.#hashes = hashes
  }

  /** A power of two, as the mask wants it. */
  #growSlots(countMin: number): void {
    let length = this.#slots.length * 2
    while (Math.floor(length * slotsFilledMax) < countMin) length *= 2
    this.#slots = new Int32Array(length)
    this.#countMax = Math.floor(length * slotsFilledMax)
    for (let id = 0; id < this.count; id++) if (this.isFilled(id)) this.#claim(id)
  }

  /** Doubles while small, then grows by less: a large arena must not hold half its size empty. */
  #growArena(bytesMin: number): void {
    const size = this.arena.length
    const wanted = size < 1 << 23 ? size * 2 : size + (size >>> 2)
    const arena = new Uint8Array(this.#buffer(Math.max(bytesMin, wanted)))
    arena.set(this.arena.subarray(0, this.used))
    this.arena = arena
    this.view = viewOf(arena)
  }

  #grown(array: Uint32Array, length: number): Uint32Array {
    const larger = this.words(length)
    larger.set(array)
    return larger
  }

  protected words(length: number): Uint32Array {
    return this.#shared ? new Uint32Array(this.#buffer(length * 4)) : new Uint32Array(length)
  }

  #buffer(byteLength: number): ArrayBufferLike {
    return this.#shared ? new SharedArrayBuffer(byteLength) : new ArrayBuffer(byteLength)
  }
}
