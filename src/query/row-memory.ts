// Memory for rows that are kept from when they are read to when they are printed, in pieces that arrays
// are cut from. Who knows that the rows are done with gives it back, and the next read takes the same
// pieces: fresh ones cost more to be paged in than to be filled, and make the collector run, which frees
// them late.

/** Pieces grow up to this size. Only those of the full size are used again. */
const pieceBytes = 1 << 20
const firstPieceBytes = 1 << 13
/** So much waits for the next read, for so long. */
const spareBytesMax = 32 << 20
const spareMs = 2000

/** The pieces that wait for the next read. */
export class RowMemoryPool {
  #spares: ArrayBuffer[] = []
  #timer: NodeJS.Timeout | undefined

  take(): ArrayBuffer | undefined {
    return this.#spares.pop()
  }

  giveBack(pieces: readonly ArrayBuffer[]): void {
    for (const piece of pieces) {
      const isRoom = this.#spares.length * pieceBytes < spareBytesMax
      if (piece.byteLength === pieceBytes && isRoom) this.#spares.push(piece)
    }
    if (this.#spares.length > 0) this.#dropLater()
  }

  #dropLater(): void {
    if (this.#timer !== undefined) {
      this.#timer.refresh()
      return
    }
    this.#timer = setTimeout(() => {
      this.#spares = []
      this.#timer = undefined
    }, spareMs).unref()
  }
}

export class RowMemory {
  readonly #pool: RowMemoryPool
  readonly #pieces: ArrayBuffer[] = []
  #piece = new ArrayBuffer(0)
  #used = 0

  constructor(pool: RowMemoryPool) {
    this.#pool = pool
  }

  /** With any content, as the others. */
  floats(length: number): Float64Array {
    const at = this.#cut(length * 8)
    return new Float64Array(this.#piece, at, length)
  }

  integers(length: number): Uint32Array {
    const at = this.#cut(length * 4)
    return new Uint32Array(this.#piece, at, length)
  }

  /** The first `length` of them. */
  copyFloats(from: Float64Array, length: number): Float64Array {
    const copy = this.floats(length)
    copy.set(from.subarray(0, length))
    return copy
  }

  copyBytes(from: Uint8Array, length: number): Uint8Array {
    const at = this.#cut(length)
    const copy = new Uint8Array(this.#piece, at, length)
    copy.set(from.subarray(0, length))
    return copy
  }

  /** Nobody looks at any of the arrays again. */
  release(): void {
    this.#pool.giveBack(this.#pieces)
    this.#pieces.length = 0
    this.#piece = new ArrayBuffer(0)
    this.#used = 0
  }

  #cut(byteLength: number): number {
    if (this.#used + byteLength > this.#piece.byteLength) this.#next(byteLength)
    const at = this.#used
    this.#used += (byteLength + 7) & ~7
    return at
  }

  #next(byteLength: number): void {
    const size = Math.min(pieceBytes, Math.max(firstPieceBytes, 2 * this.#piece.byteLength))
    const spare = byteLength <= pieceBytes && size === pieceBytes ? this.#pool.take() : undefined
    this.#piece = spare ?? new ArrayBuffer(Math.max(size, byteLength))
    this.#pieces.push(this.#piece)
    this.#used = 0
  }
}
