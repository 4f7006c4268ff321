// Buffers for request bodies, used again: fresh memory costs a page fault per 4 KB, which at a
// gigabyte per second is a large part of the work. Bounded; what does not fit is left to the
// garbage collector.

import { limits } from '../../config.js'
import { PassingMemory } from '../../platform/garbage.js'
import { mappedBytesMin, mappedMemory } from '../../platform/mapped-memory.js'
import { keepsSpareMemory, type SpareMemory } from '../../platform/spare-memory.js'

const granuleBytes = 64 * 1024

export class BodyPool implements SpareMemory {
  readonly #bytesMax: number
  /** Free buffers, the one given back last at the end: its pages are the warmest. */
  readonly #free: Buffer[] = []
  #freeBytes = 0
  /** What bodies arrive in, before it is copied into a buffer. */
  readonly pieces = new PassingMemory()

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
    keepsSpareMemory(this)
  }

  dropSpare(): void {
    this.#free.length = 0
    this.#freeBytes = 0
  }

  /** At least `bytes` long. Its content is whatever was there. */
  take(bytes: number): Buffer {
    for (let i = this.#free.length - 1; i >= 0; i--) {
      const buffer = this.#free[i]
      // A buffer much larger than asked for is kept for a body that needs it.
      if (buffer.length < bytes || buffer.length > 4 * bytes + granuleBytes) continue
      this.#free.splice(i, 1)
      this.#freeBytes -= buffer.length
      return buffer
    }
    const size = Math.max(1, Math.ceil(bytes / granuleBytes)) * granuleBytes
    // What is worth a thread that parses lies where one can see it.
    const isShared = size >= limits.largeBodyBytes
    return size < mappedBytesMin
      ? Buffer.allocUnsafeSlow(size)
      : Buffer.from(mappedMemory.allocate(size, isShared))
  }

  give(buffer: Buffer): void {
    if (this.#freeBytes + buffer.length > this.#bytesMax) return
    this.#free.push(buffer)
    this.#freeBytes += buffer.length
  }
}
