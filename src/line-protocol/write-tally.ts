// What one write has met so far. A write whose tables would take much memory is read in pieces, and its limits hold for
// all of it: what was counted is carried from piece to piece. A write of one piece, as nearly all are, fills no set.

/** Where a piece of a write ended, and what was met before: for the piece that follows. */
export interface WriteRest {
  /** Of the first byte that was not read. */
  readonly position: number
  /** Its line, counted from 1. */
  readonly line: number
  /** Grows from piece to piece: there is one for all of a write. */
  readonly measurements: Set<object>
  /** What the parser kept of series when the write began, or when it last forgot them. */
  readonly seriesBytes: number
  readonly columnCount: number
  readonly nameCount: number
}

export class WriteTally {
  /** Columns that were opened: a field of a table each. */
  columnCount = 0
  /** Fields that nobody had written before: their names stay, also where the value was bad. */
  nameCount = 0
  measurementCount = 0
  #earlier: Set<object> | undefined
  #seriesBytes = 0

  /** `seriesBytes`: what the parser keeps of series now. */
  begin(rest: WriteRest | undefined, seriesBytes: number): void {
    this.#earlier = rest?.measurements
    this.#seriesBytes = Math.min(seriesBytes, rest?.seriesBytes ?? seriesBytes)
    this.columnCount = rest?.columnCount ?? 0
    this.nameCount = rest?.nameCount ?? 0
    this.measurementCount = rest?.measurements.size ?? 0
  }

  /** Whether an earlier piece of the write has met it. */
  knows(measurement: object): boolean {
    return this.#earlier?.has(measurement) === true
  }

  /** Once in each piece. */
  meet(measurement: object): void {
    if (!this.knows(measurement)) this.measurementCount++
  }

  /** What the write had met before this piece, and `met` in it; columns that are well filled do not count on. */
  restAt(position: number, line: number, met: readonly object[], filledCount: number): WriteRest {
    const measurements = this.#earlier ?? new Set()
    for (const measurement of met) measurements.add(measurement)
    const { nameCount } = this
    const columnCount = this.columnCount - filledCount
    return { position, line, measurements, seriesBytes: this.#seriesBytes, columnCount, nameCount }
  }
}
