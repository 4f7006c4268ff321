// Memory for memtables, used again from one generation to the next. Left to the garbage collectors
// (the worker's among them, which rarely runs) the arrays of flushed generations would lie around
// for long: 600 MB instead of 200 were seen under load.

import { mappedMemory } from '../../../platform/mapped-memory.js'
import { keepsSpareMemory, type SpareMemory } from '../../../platform/spare-memory.js'

export interface BufferSource {
  /** At least so many bytes, with any content. */
  allocate(byteLength: number): ArrayBufferLike
  /** Nobody uses the buffer any more. */
  free(buffer: ArrayBufferLike): void
}

/** Plain memory that the collector takes back. */
export const heapBuffers: BufferSource = {
  allocate: (byteLength) => new ArrayBuffer(byteLength),
  free: () => undefined,
}

/** Smaller buffers are not worth keeping. */
const granuleBytes = 4096

/** Those of tables with thousands of columns, whose sizes change from one generation to the next. */
const smallBytes = 64 << 10

export class BufferPool implements BufferSource, SpareMemory {
  readonly #shared: boolean
  readonly #spareBytesMax: number
  #spareBytes = 0
  #free: ArrayBufferLike[] = []

  constructor(options: { shared: boolean; spareBytesMax: number }) {
    this.#shared = options.shared
    this.#spareBytesMax = options.spareBytesMax
    keepsSpareMemory(this)
  }

  dropSpare(): void {
    this.#free = []
    this.#spareBytes = 0
  }

  get spareBytes(): number {
    return this.#spareBytes
  }

  allocate(byteLength: number): ArrayBufferLike {
    const best = byteLength < granuleBytes ? -1 : this.#smallestFit(byteLength)
    if (best >= 0) {
      const [buffer] = this.#free.splice(best, 1)
      this.#spareBytes -= buffer.byteLength
      return buffer
    }
    const size = byteLength < granuleBytes ? byteLength : sizeClass(byteLength)
    if (size >= granuleBytes && size < smallBytes) this.#dropOldest(this.#spareBytes - size)
    return mappedMemory.allocate(size, this.#shared)
  }

  /** A buffer much larger than asked for waits for somebody who needs it. */
  #smallestFit(byteLength: number): number {
    let best = -1
    for (let i = 0; i < this.#free.length; i++) {
      const size = this.#free[i].byteLength
      if (size < byteLength || size > 1.5 * byteLength) continue
      if (best < 0 || size < this.#free[best].byteLength) best = i
    }
    return best
  }

  free(buffer: ArrayBufferLike): void {
    if (buffer.byteLength < granuleBytes) return
    this.#free.push(buffer)
    this.#spareBytes += buffer.byteLength
    this.#dropOldest(this.#spareBytesMax)
  }

  /**
   * The oldest go first: what came in lately is what the next generation looks like. They also make room for a small
   * new buffer that none of them could be: memory of sizes that nobody asks for any more would stay beside it.
   */
  #dropOldest(spareBytesMax: number): void {
    let count = 0
    for (; count < this.#free.length && this.#spareBytes > spareBytesMax; count++) {
      this.#spareBytes -= this.#free[count].byteLength
    }
    if (count > 0) this.#free.splice(0, count)
  }
}

/** Four sizes to a doubling: what one generation gives back fits the next, and at most a fifth is unused. */
function sizeClass(byteLength: number): number {
  const step = Math.max(granuleBytes / 4, 2 ** (Math.floor(Math.log2(byteLength)) - 2))
  return Math.ceil(byteLength / step) * step
}
