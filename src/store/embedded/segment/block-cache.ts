// Decoded blocks that small reads ask for again and again, as dashboards do: reading, checking and
// decoding a block takes some ten microseconds, finding it here a fraction of one. Blocks are
// immutable and go with their file, so what is kept is never wrong: deletes and retention are applied
// to rows after they are decoded.
//
// A block is kept when it is asked for the second time, and the ones that nobody asked for lately go
// first (a clock: a hand goes round, and takes what was not used since it last came by). Off: 0 bytes.

import type { Column } from '../../../column/column.js'

/** What is remembered of blocks that were asked for once: so many at a time. */
const seenSlots = 4096

/** What an entry costs beside its arrays, about. */
const entryBytes = 256

/** The series of a group and where their rows end. */
export interface GroupSeries {
  readonly ids: Uint32Array
  readonly ends: Uint32Array
  readonly count: number
}

/** What a block holds follows from where it lies. */
export type BlockContent = Column | GroupSeries

export class KeptBlock {
  readonly file: KeptBlocks
  readonly at: number
  readonly content: BlockContent
  readonly byteLength: number
  isUsed = false

  constructor(file: KeptBlocks, at: number, content: BlockContent) {
    this.file = file
    this.at = at
    this.content = content
    this.byteLength = entryBytes + contentBytes(content)
  }
}

/** The kept blocks of one file, by where they lie in it. */
export class KeptBlocks {
  readonly number: number
  readonly byPlace = new Map<number, KeptBlock>()

  constructor(number: number) {
    this.number = number
  }

  find(at: number): BlockContent | undefined {
    const block = this.byPlace.get(at)
    if (block === undefined) return undefined
    block.isUsed = true
    return block.content
  }
}

export class BlockCache {
  readonly #bytesMax: number
  /** File and place of blocks that were asked for, where no other fell on the same slot since. */
  readonly #seen: Float64Array
  readonly #blocks: KeptBlock[] = []
  #hand = 0
  #fileCount = 0
  byteLength = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
    this.#seen = new Float64Array(bytesMax > 0 ? seenSlots : 0)
  }

  openFile(): KeptBlocks {
    return new KeptBlocks(++this.#fileCount)
  }

  /** Whether a block that is not there should be added: true when it is asked for the second time. */
  wants({ number }: KeptBlocks, at: number): boolean {
    if (this.#bytesMax === 0) return false
    const block = number * 2 ** 33 + at
    const slot = (Math.imul(at, 0x9e3779b1) ^ Math.imul(number, 0x85ebca6b)) >>> 20
    if (this.#seen[slot] === block) return true
    this.#seen[slot] = block
    return false
  }

  add(file: KeptBlocks, at: number, content: BlockContent): void {
    const block = new KeptBlock(file, at, content)
    if (block.byteLength > this.#bytesMax / 4) return
    file.byPlace.set(at, block)
    this.#blocks.push(block)
    this.byteLength += block.byteLength
    while (this.byteLength > this.#bytesMax) this.#moveHand()
  }

  /** The last one that came is spared: it is not used yet. */
  #moveHand(): void {
    if (this.#hand >= this.#blocks.length - 1) this.#hand = 0
    const block = this.#blocks[this.#hand]
    if (block.isUsed) {
      block.isUsed = false
      this.#hand++
    } else {
      block.file.byPlace.delete(block.at)
      this.#removeAt(this.#hand)
    }
  }

  #removeAt(index: number): void {
    this.byteLength -= this.#blocks[index].byteLength
    const last = this.#blocks.pop()!
    if (index < this.#blocks.length) this.#blocks[index] = last
  }

  /** The file is closed: none of its blocks will be asked for again. */
  closeFile(file: KeptBlocks): void {
    if (file.byPlace.size === 0) return
    file.byPlace.clear()
    for (let i = this.#blocks.length - 1; i >= 0; i--) {
      if (this.#blocks[i].file === file) this.#removeAt(i)
    }
  }
}

function contentBytes(content: BlockContent): number {
  if ('ids' in content) return content.ids.byteLength + content.ends.byteLength
  return columnBytes(content)
}

function columnBytes(column: Column): number {
  let bytes = column.values.byteLength + (column.validity?.byteLength ?? 0)
  if (column.type === 'string') {
    bytes += column.dictionary.offsets.byteLength + column.dictionary.bytes.byteLength
  }
  return bytes
}
