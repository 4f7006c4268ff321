// Large buffers in a mapping of their own, which goes back to the system with the last one who holds it. Those of the C
// library do not: it takes blocks of megabytes from one heap as soon as one of that size was freed, and of that heap
// only the end goes back, which some small block always holds. A memory of WebAssembly without any code is such a
// mapping; the gigabytes of addresses that V8 sets aside around it take no memory.

const pageBytes = 64 << 10

/** Smaller ones are not worth a mapping and its faults. */
export const mappedBytesMin = 128 << 10

/** What is used of it; TypeScript has its types among those of browsers. */
interface WithWebAssembly {
  readonly WebAssembly?: {
    Memory: new (size: {
      initial: number
      maximum: number
      shared: boolean
    }) => {
      readonly buffer: ArrayBufferLike
    }
  }
}

const webAssembly = (globalThis as WithWebAssembly).WebAssembly

/**
 * So many at a time. V8 sets 10 GB of addresses aside for each, and where none are left it collects garbage, several
 * times, before it says so. That there are many which nobody holds any more is known to its collector alone.
 */
const mappedMax = 256

export class MappedMemory {
  #count = 0
  readonly #collected = new FinalizationRegistry(() => {
    this.#count--
  })
  /** Not where addresses are bounded (`ulimit -v`). */
  #isPossible = webAssembly !== undefined

  /** Full of zeros, and at least so long. Who frees it is the collector, which does not know how large it is. */
  allocate(byteLength: number, shared: boolean): ArrayBufferLike {
    const isWanted = byteLength >= mappedBytesMin && this.#count < mappedMax
    const buffer = isWanted && this.#isPossible ? this.#map(byteLength, shared) : undefined
    return buffer ?? (shared ? new SharedArrayBuffer(byteLength) : new ArrayBuffer(byteLength))
  }

  #map(byteLength: number, shared: boolean): ArrayBufferLike | undefined {
    const pages = Math.ceil(byteLength / pageBytes)
    try {
      const { buffer } = new webAssembly!.Memory({ initial: pages, maximum: pages, shared })
      this.#collected.register(buffer, undefined)
      this.#count++
      return buffer
    } catch {
      this.#isPossible = false
      return undefined
    }
  }
}

/** One for the process: its addresses are what there are not enough of. */
export const mappedMemory = new MappedMemory()
