// Typed arrays given back by finished batches, kept by type and length for the next ones: a new
// array of 64 KB costs more to clear than to fill. Lengths are powers of two. What is handed out
// holds old values; whoever takes an array writes each entry before it counts.

const lengthLog2Max = 31

type Pooled = Float64Array | Uint32Array | Uint8Array

export class ArrayPool {
  readonly #bytesMax: number
  #bytesHeld = 0
  readonly #float64s: Float64Array[][] = emptyLists()
  readonly #uint32s: Uint32Array[][] = emptyLists()
  readonly #uint8s: Uint8Array[][] = emptyLists()

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  get bytesHeld(): number {
    return this.#bytesHeld
  }

  /** `length` is a power of two, here and below. */
  float64(length: number): Float64Array {
    const found = this.#float64s[log2(length)].pop()
    if (found === undefined) return new Float64Array(length)
    this.#bytesHeld -= found.byteLength
    return found
  }

  uint32(length: number): Uint32Array {
    const found = this.#uint32s[log2(length)].pop()
    if (found === undefined) return new Uint32Array(length)
    this.#bytesHeld -= found.byteLength
    return found
  }

  uint8(length: number): Uint8Array {
    const found = this.#uint8s[log2(length)].pop()
    if (found === undefined) return new Uint8Array(length)
    this.#bytesHeld -= found.byteLength
    return found
  }

  /**
   * Arrays of other lengths, and any beyond the pool's bound, are left to the garbage collector.
   */
  give(array: Pooled): void {
    const { length } = array
    if (length === 0 || (length & (length - 1)) !== 0 || length > 2 ** lengthLog2Max) return
    if (this.#bytesHeld + array.byteLength > this.#bytesMax) return
    this.#bytesHeld += array.byteLength
    if (array instanceof Float64Array) this.#float64s[log2(length)].push(array)
    else if (array instanceof Uint32Array) this.#uint32s[log2(length)].push(array)
    else this.#uint8s[log2(length)].push(array)
  }
}

function emptyLists<T>(): T[][] {
  return Array.from({ length: lengthLog2Max + 1 }, () => [])
}

function log2(length: number): number {
  return 31 - Math.clz32(length)
}

/** The smallest power of two that is not below `length`. */
export function roundUpLength(length: number): number {
  return length <= 1 ? 1 : 2 ** (32 - Math.clz32(length - 1))
}
