// The one budget of memory for all queries of all languages. Each query's meters tell the most that it held, and that
// counts until the query ends; an engine of SQL counts with all that it may take, and is waited for where that does not
// fit. A query under way that would go beyond the budget is told to come back later: its own limit it has not reached.

import { OverloadError } from '../../errors.js'
import type { QueryFigures } from '../../query/limits.js'

interface Waiting {
  readonly bytes: number
  resolve(): void
}

export class QueryMemory {
  /** 0: no limit. */
  readonly bytesMax: number
  readonly #waitSecondsMax: number
  #heldBytes = 0
  #waiting: Waiting[] = []

  constructor(bytesMax: number, waitSecondsMax: number) {
    this.bytesMax = bytesMax
    this.#waitSecondsMax = waitSecondsMax
  }

  get heldBytes(): number {
    return this.#heldBytes
  }

  /** Where the meters of a query that begins write. `told`: who else wants to know. */
  open(told?: QueryFigures): HeldFigures {
    return new HeldFigures(this, told)
  }

  /** Throws OverloadError where that is too much, having taken nothing. */
  take(bytes: number): void {
    if (!this.#fits(bytes)) throw this.#tooMuch(bytes)
    this.#heldBytes += bytes
  }

  /** Resolves when so much is there, with what gives it back. One who wants more than all there is may have all. */
  async reserve(wanted: number, signal: AbortSignal): Promise<() => void> {
    const bytes = this.bytesMax > 0 ? Math.min(wanted, this.bytesMax) : wanted
    if (this.#waiting.length === 0 && this.#fits(bytes)) this.#heldBytes += bytes
    else await this.#wait(bytes, signal)
    return () => this.giveBack(bytes)
  }

  giveBack(bytes: number): void {
    this.#heldBytes -= bytes
    while (this.#waiting.length > 0 && this.#fits(this.#waiting[0].bytes)) {
      const next = this.#waiting.shift() as Waiting
      this.#heldBytes += next.bytes
      next.resolve()
    }
  }

  #fits(bytes: number): boolean {
    return this.bytesMax === 0 || this.#heldBytes + bytes <= this.bytesMax
  }

  #wait(bytes: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', stopped)
        this.#waiting = this.#waiting.filter((each) => each !== waiting)
      }
      const waiting = {
        bytes,
        resolve: () => {
          leave()
          resolve()
        },
      }
      const fail = (error: unknown) => {
        leave()
        reject(error)
      }
      const stopped = () => fail(signal.reason)
      const timer = setTimeout(() => fail(this.#tooMuch(bytes)), this.#waitSecondsMax * 1000)
      signal.addEventListener('abort', stopped)
      this.#waiting.push(waiting)
    })
  }

  #tooMuch(bytes: number): OverloadError {
    const figures = `${this.#heldBytes} of ${this.bytesMax} bytes held, ${bytes} wanted`
    return new OverloadError(`the memory of all queries is used up (${figures}): try again later`)
  }
}

export class HeldFigures implements QueryFigures {
  rowsRead = 0
  readonly #memory: QueryMemory
  readonly #told: QueryFigures | undefined
  #bytesMax = 0

  constructor(memory: QueryMemory, told: QueryFigures | undefined) {
    this.#memory = memory
    this.#told = told
  }

  get bytesMax(): number {
    return this.#bytesMax
  }

  set bytesMax(bytes: number) {
    this.#memory.take(bytes - this.#bytesMax)
    this.#bytesMax = bytes
  }

  reserve(bytes: number, signal: AbortSignal): Promise<() => void> {
    return this.#memory.reserve(bytes, signal)
  }

  /** Once, at the query's end. */
  close(): void {
    this.#memory.giveBack(this.#bytesMax)
    if (this.#told === undefined) return
    this.#told.rowsRead += this.rowsRead
    this.#told.bytesMax = Math.max(this.#told.bytesMax, this.#bytesMax)
  }
}
