// Memory in which the columns of a body cross to the thread that serves: pieces that both see, a few of them, used
// again and again. Made when first needed, and told once; nothing is left to the collectors, to which shared memory
// weighs nothing. A piece is the serving thread's from the message that names it to the one that gives it back.

import { mappedMemory } from '../../platform/mapped-memory.js'

/** As many as bodies are under way at a time in a load of some connections. */
const slabsMax = 12

/** Columns of a usual body (5,000 rows of ten fields) take half a megabyte; more than this is kept for nobody. */
const slabBytesMax = 4 << 20
const slabBytesMin = 64 << 10

export interface Slab {
  /** Undefined: it is used this once. */
  readonly number: number | undefined
  readonly memory: ArrayBufferLike
  /** Whether the number stands for other memory than before. */
  readonly isNew: boolean
}

export class WriteSlabs {
  readonly #slabs: ArrayBufferLike[] = []
  /** Numbers; the one given back last at the end, since its pages are the warmest. */
  readonly #free: number[] = []

  take(byteLength: number): Slab {
    if (byteLength > slabBytesMax) return once(byteLength)
    for (let i = this.#free.length - 1; i >= 0; i--) {
      const number = this.#free[i]
      const memory = this.#slabs[number]
      if (memory.byteLength < byteLength) continue
      this.#free.splice(i, 1)
      return { number, memory, isNew: false }
    }
    const memory = made(byteLength)
    if (this.#slabs.length < slabsMax) {
      return { number: this.#slabs.push(memory) - 1, memory, isNew: true }
    }
    // All that are free are too small: a larger one takes the place of the oldest.
    const number = this.#free.shift()
    if (number === undefined) return once(byteLength)
    this.#slabs[number] = memory
    return { number, memory, isNew: true }
  }

  /** Whatever it holds may be overwritten. */
  give(number: number): void {
    this.#free.push(number)
  }
}

function once(byteLength: number): Slab {
  return { number: undefined, memory: mappedMemory.allocate(byteLength, true), isNew: true }
}

/** A power of two, so that bodies which differ a little find each other's. */
function made(byteLength: number): ArrayBufferLike {
  let size = slabBytesMin
  while (size < byteLength) size *= 2
  return mappedMemory.allocate(size, true)
}
