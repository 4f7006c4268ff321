// Decoded blocks that small reads ask for again and again, as dashboards do: reading, checking and
// decoding a block takes some ten microseconds, finding it here a fraction of one. Blocks are
// immutable and go with their file, so what is cached is never wrong: deletes and retention are applied
// to rows after they are decoded.
//
// A block is taken in when it is asked for the second time. Where it would push out another only one in some is: what
// is asked for in turn and does not fit would otherwise go before it is asked for again, all of it, each time. Off: 0
// bytes.

import type { Column } from '../../../column/column.js'
import { LruCache } from '../../../platform/lru-cache.js'

/** What is remembered of blocks that were asked for once: so many at a time. */
const seenSlots = 4096

/** Of blocks that are wanted while there is no room, one in so many is taken in. */
const takenOneIn = 8

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

/** What the cache knows a block by. */
interface CachedBlock {
  readonly file: FileBlocks
  readonly at: number
}

/** The cached blocks of one file, by where they lie in it. */
export interface FileBlocks {
  readonly number: number
  readonly byPlace: Map<number, CachedBlock>
}

export class BlockCache {
  readonly #bytesMax: number
  readonly #cache: LruCache<CachedBlock, BlockContent>
  /** File and place of blocks that were asked for, where no other fell on the same slot since. */
  readonly #seen: Float64Array
  #fileCount = 0
  #wantedCount = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
    this.#seen = new Float64Array(bytesMax > 0 ? seenSlots : 0)
    this.#cache = new LruCache({
      bytesMax,
      sizeOf: (content) => entryBytes + contentBytes(content),
      onRemoved: (_, { file, at }) => file.byPlace.delete(at),
    })
  }

  get byteLength(): number {
    return this.#cache.figures().bytes
  }

  openFile(): FileBlocks {
    return { number: ++this.#fileCount, byPlace: new Map() }
  }

  find({ byPlace }: FileBlocks, at: number): BlockContent | undefined {
    const block = byPlace.get(at)
    return block === undefined ? undefined : this.#cache.get(block)
  }

  /** Whether a block that is not there, about so large, should be added. */
  wants({ number }: FileBlocks, at: number, bytes: number): boolean {
    if (this.#bytesMax === 0) return false
    const block = number * 2 ** 33 + at
    const slot = (Math.imul(at, 0x9e3779b1) ^ Math.imul(number, 0x85ebca6b)) >>> 20
    if (this.#seen[slot] !== block) {
      this.#seen[slot] = block
      return false
    }
    return (
      this.byteLength + entryBytes + bytes <= this.#bytesMax ||
      this.#wantedCount++ % takenOneIn === 0
    )
  }

  /** One that would push out a quarter of the others is not taken. */
  add(file: FileBlocks, at: number, content: BlockContent): void {
    if (contentBytes(content) + entryBytes > this.#bytesMax / 4) return
    const block = { file, at }
    file.byPlace.set(at, block)
    this.#cache.set(block, content)
  }

  /** The file is closed: none of its blocks will be asked for again. */
  closeFile({ byPlace }: FileBlocks): void {
    for (const block of [...byPlace.values()]) this.#cache.delete(block)
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
