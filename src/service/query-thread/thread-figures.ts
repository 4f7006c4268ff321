// What a query on a thread costs, told to the serving thread from time to time: there it is counted against what all
// queries may hold, and shown to whoever lists them.

import type { QueryFigures } from '../../query/limits.js'

/** What it may have grown by before it is told. */
const bytesUntold = 1 << 20
const rowsUntold = 10_000

export class ThreadFigures implements QueryFigures {
  readonly #tell: (rowsRead: number, bytesMax: number) => void
  #rowsRead = 0
  #bytesMax = 0
  #rowsTold = 0
  #bytesTold = 0

  constructor(tell: (rowsRead: number, bytesMax: number) => void) {
    this.#tell = tell
  }

  get rowsRead(): number {
    return this.#rowsRead
  }

  set rowsRead(rows: number) {
    this.#rowsRead = rows
    if (rows - this.#rowsTold >= rowsUntold) this.tell()
  }

  get bytesMax(): number {
    return this.#bytesMax
  }

  set bytesMax(bytes: number) {
    this.#bytesMax = bytes
    if (bytes - this.#bytesTold >= bytesUntold) this.tell()
  }

  tell(): void {
    if (this.#rowsTold === this.#rowsRead && this.#bytesTold === this.#bytesMax) return
    this.#rowsTold = this.#rowsRead
    this.#bytesTold = this.#bytesMax
    this.#tell(this.#rowsRead, this.#bytesMax)
  }
}
