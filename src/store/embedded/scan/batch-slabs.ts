// Memory in which batches cross from a thread that scans to the one that answers: pieces of one size that both see,
// made when first needed and used again and again. Nothing is moved, as V8 makes every access to typed arrays slower
// once a buffer has changed hands, and nothing is left to the collectors, to which shared memory weighs nothing.
//
// A piece belongs to the answering thread from the message that names it to the one that gives it back, or to the
// end of its scan.

/**
 * Twice what a batch usually takes (see `rowsTogetherOf`): one may have more rows, or texts. What is never written to
 * costs no memory.
 */
export const slabBytes = 2 << 20

/** As much as lies ready at any time while the reader prints what it has. */
const slabsMax = 6

/** To copy less costs no more than to give it back. */
const slabBytesMin = 1 << 12

export class BatchSlabs {
  readonly #slabs: SharedArrayBuffer[] = []
  readonly #free: number[] = []

  /** The number of a piece that has room; undefined: there is none, or none is needed. The batch is copied then. */
  take(byteLength: number): number | undefined {
    if (byteLength < slabBytesMin || byteLength > slabBytes) return undefined
    const free = this.#free.pop()
    if (free !== undefined || this.#slabs.length === slabsMax) return free
    return this.#slabs.push(new SharedArrayBuffer(slabBytes)) - 1
  }

  memory(slab: number): SharedArrayBuffer {
    return this.#slabs[slab]
  }

  /** Whatever it holds may be overwritten. */
  give(slab: number): void {
    this.#free.push(slab)
  }
}
