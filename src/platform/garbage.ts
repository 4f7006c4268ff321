// Garbage that is collected when work of a kind that makes much of it comes to a place where most is no longer needed.
// V8 lets it grow to a multiple of what is in use before it looks, which a load of ordinary writes is the faster for;
// a write of a hundred thousand fields takes a third more memory so than it needs.

import { runInNewContext } from 'node:vm'
import { isMainThread } from 'node:worker_threads'

/** So much more than was left the last time, and it is worth some 30 ms to look. */
const grownBytesMin = 24 << 20
/** Where it is known that there is much: pieces of wide writes, merges of thousands of fields. */
export const wideBytesMin = isMainThread ? 12 << 20 : 8 << 20

/** Of the thread that it is made on, for whoever does such work there: several of them see what each has collected. */
export class Garbage {
  #collect: Collector | undefined
  #leftBytes: number | undefined

  /** Between two pieces of the work. */
  collect(grownBytes = grownBytesMin): void {
    const bytes = heldBytes()
    this.#leftBytes = Math.min(this.#leftBytes ?? bytes, bytes)
    if (bytes - this.#leftBytes < grownBytes) return
    this.#collect ??= collector()
    this.#collect?.()
    this.#leftBytes = heldBytes()
  }
}

/** So much of passing memory, and the young objects that it lies behind are looked at: a fifth of a millisecond. */
const passingBytesMax = 8 << 20

/**
 * Memory that is needed for a moment only and hangs on small objects, as the pieces do in which bodies arrive. V8 looks
 * at young objects when these have filled their space, whatever lies behind them: there were 30 MB of such pieces.
 */
export class PassingMemory {
  #bytes = 0
  #collect: Collector | undefined

  /** So many bytes more that nobody will need for long. */
  note(bytes: number): void {
    this.#bytes += bytes
    if (this.#bytes < passingBytesMax) return
    this.#bytes = 0
    this.#collect ??= collector()
    this.#collect?.({ type: 'minor' })
  }
}

type Collector = (options?: { type: 'minor' }) => void

/** Memory that threads share is not among what V8 counts as external, but is among the buffers that Node counts. */
function heldBytes(): number {
  const { heapUsed, external, arrayBuffers } = process.memoryUsage()
  return heapUsed + Math.max(external, arrayBuffers)
}

/** V8 shows it to contexts that are made after the flag was set (`main.ts`). Undefined: it was not. */
function collector(): Collector | undefined {
  return runInNewContext("typeof gc === 'function' ? gc : undefined")
}
