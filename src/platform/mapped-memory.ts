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

/** Not where addresses are bounded (`ulimit -v`): V8 collects garbage several times before it says so. */
let isPossible = true

/** Full of zeros, and at least so long. Who frees it is the collector, which does not know how large it is. */
export function allocateMapped(byteLength: number, shared: boolean): ArrayBufferLike {
  if (isPossible && webAssembly !== undefined && byteLength >= mappedBytesMin) {
    const pages = Math.ceil(byteLength / pageBytes)
    try {
      return new webAssembly.Memory({ initial: pages, maximum: pages, shared }).buffer
    } catch {
      isPossible = false
    }
  }
  return shared ? new SharedArrayBuffer(byteLength) : new ArrayBuffer(byteLength)
}
