// A row for every window of a range, also where the store had no points: windows that have some come
// one after the other, and the rows between them are filled in. Chunks hold a bounded number of rows,
// however many windows there are.

import { floorDiv, type TimeRange } from '../../../column/time.js'
import type { Cell, CellType, TimeCells, ValueCells } from '../../../query/table.js'
import { WindowGrid } from '../../../query/window-grid.js'
import type { FieldPiece } from './field-piece.js'
import { int64Steps } from './int64.js'
import type { WindowRows } from './window-rows.js'

const chunkRowsMax = 16_384

export interface DenseRows {
  readonly rowCount: number
  /** Worked out when they are asked for. */
  times(): TimeCells
  readonly values: ValueCells
}

type Values = Float64Array | BigInt64Array | BigUint64Array | Uint8Array | Uint32Array

export class DenseWindows {
  readonly #windows: WindowRows
  readonly #range: TimeRange
  readonly #type: CellType
  readonly #emptyValue: Cell | null
  readonly #grid: WindowGrid
  /** The first window of the chunk under way. */
  #from = 0
  #values: Values
  #validity: Uint8Array | undefined
  #dictionary: string[] = []

  /** `emptyValue`: of a window without points. */
  constructor(windows: WindowRows, range: TimeRange, type: CellType, emptyValue: Cell | null) {
    this.#windows = windows
    this.#range = range
    this.#type = type
    this.#emptyValue = emptyValue
    this.#grid = new WindowGrid(range, windows.everyNs, windows.offsetNs)
    this.#values = new Float64Array(0)
    this.#begin(0)
  }

  /** Everything fits into one chunk. */
  get isSmall(): boolean {
    return this.#grid.count <= chunkRowsMax
  }

  /** Takes windows in time order; gives the chunks that are full. */
  *add(piece: FieldPiece): Generator<DenseRows, void, void> {
    // There may be more windows than the grid numbers.
    const { everyNs, firstStart } = this.#grid
    const every = Number(everyNs)
    const from = piece.base - firstStart
    const baseWindow = floorDiv(from, everyNs)
    const into = Number(from - baseWindow * everyNs)
    const first = Number(baseWindow)
    const source = piece.cells.values as Float64Array
    for (let row = 0; row < piece.count; row++) {
      const window = first + Math.floor((piece.offsets[row] + into) / every)
      while (window >= this.#from + this.#values.length) yield this.take()
      const at = window - this.#from
      if (piece.cells.type === 'string') {
        ;(this.#values as Uint32Array)[at] = this.#dictionary.length
        this.#dictionary.push(piece.cells.dictionary[source[row]])
      } else (this.#values as Float64Array)[at] = source[row]
      if (this.#validity !== undefined) this.#validity[at] = 1
    }
  }

  *finish(): Generator<DenseRows, void, void> {
    while (this.#from < this.#grid.count) yield this.take()
  }

  /** The chunk under way, as far as it is; the next one begins. */
  take(): DenseRows {
    const rowCount = this.#values.length
    const from = this.#from
    const times = () => this.#times(from, rowCount)
    const base = { kind: 'values', type: this.#type, values: this.#values }
    const validity = this.#validity
    const texts = this.#type === 'string' ? { dictionary: this.#dictionary } : {}
    const values = { ...base, validity, ...texts } as unknown as ValueCells
    this.#begin(from + rowCount)
    return { rowCount, times, values }
  }

  #begin(from: number): void {
    this.#from = from
    const room = Math.max(0, Math.min(chunkRowsMax, this.#grid.count - from))
    this.#values = newValues(this.#type, room)
    this.#dictionary = []
    this.#validity = this.#emptyValue === null ? new Uint8Array(room) : undefined
    if (this.#emptyValue !== null) (this.#values as BigInt64Array).fill(this.#emptyValue as bigint)
    else if (this.#type === 'string') this.#dictionary.push('')
  }

  #times(from: number, count: number): TimeCells {
    const { everyNs, time } = this.#windows
    const { start, stop } = this.#range
    const isStop = time === '_stop'
    const first = this.#grid.start(from + (isStop ? 1 : 0))
    const values = int64Steps(first, everyNs, count)
    if (isStop && count > 0 && values[count - 1] > stop) values[count - 1] = stop
    if (!isStop && count > 0 && values[0] < start) values[0] = start
    return { kind: 'values', type: 'time', values, validity: undefined }
  }
}

function newValues(type: CellType, count: number): Values {
  switch (type) {
    case 'float':
      return new Float64Array(count)
    case 'int':
    case 'time':
      return new BigInt64Array(count)
    case 'uint':
      return new BigUint64Array(count)
    case 'bool':
      return new Uint8Array(count)
    case 'string':
      return new Uint32Array(count)
  }
}
