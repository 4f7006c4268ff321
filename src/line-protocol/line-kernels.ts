// The kernels that read ordinary lines (`kernels/`), as JavaScript sees them, and their memory. One for each thread,
// made when it is first needed; parsers of several buckets use it in turn.

import { assert } from '../errors.js'
import kernelBytes from './kernels.wasm'

type Place = number

interface Kernels {
  byteLength(): number
  closeTable(table: number): void
  emptyTable(table: number, room: number): void
  fieldAt(field: number): Place
  forgetFilled(): void
  forgetKeys(): void
  forgetTables(): void
  learnKey(place: Place, length: number, series: number, measurement: number): void
  nameOf(field: number): Place
  openField(table: number, nameLength: number): number
  openTable(measurement: number): number
  scanLines(place: Place, end: Place, line: number): number
  setKind(field: number, kind: number): void
  setTimes(nsPerUnit: bigint, timeMax: bigint, now: bigint): void
  setTable(table: number, room: number, base: bigint, offsetMin: number, offsetMax: number): void
  tableAt(table: number): Place
  readonly body: { readonly value: Place }
  readonly bodyBytes: { readonly value: number }
  readonly filled: { readonly value: Place }
  readonly filledCount: { readonly value: number }
  readonly lineCount: { readonly value: number }
  readonly nextLine: { readonly value: number }
  readonly stoppedAt: { readonly value: Place }
}

/** Why `scanLines` has stopped, numbered as there. */
export const atEnd = 0
export const atNewKey = 1
export const atFullTable = 2

const pageBytes = 65536
/** A little more than `byteLength` tells, which can be asked only afterwards. */
const pageCount = 352

export class LineKernels {
  readonly kernels: Kernels
  readonly bytes: Uint8Array
  readonly words: Uint32Array
  readonly floats: Float64Array
  readonly integers: BigInt64Array
  #owner: object | undefined

  constructor() {
    const memory = new WebAssembly.Memory({ initial: pageCount })
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(kernelBytes), {
      env: { memory },
    })
    this.kernels = exports as unknown as Kernels
    this.bytes = new Uint8Array(memory.buffer)
    this.words = new Uint32Array(memory.buffer)
    this.floats = new Float64Array(memory.buffer)
    this.integers = new BigInt64Array(memory.buffer)
    assert(this.kernels.byteLength() <= pageCount * pageBytes, 'kernels have their memory')
  }

  /** Keys and tables are known by the numbers of one owner. False: it was another one until now. */
  claim(owner: object): boolean {
    const isKnown = this.#owner === owner
    this.#owner = owner
    return isKnown
  }
}

let current: LineKernels | undefined
let isPossible = true

/** The thread's; undefined: V8 finds no room for its addresses (`ulimit -v`). */
export function lineKernels(): LineKernels | undefined {
  if (current !== undefined || !isPossible) return current
  try {
    current = new LineKernels()
  } catch {
    isPossible = false
  }
  return current
}
