// Bytes on their way from whoever sends them to whoever reads them: a sender waits until its piece was taken, so that
// nothing piles up, and learns when nobody will read any more.

export class ByteQueue implements AsyncIterable<Uint8Array> {
  #piece: Uint8Array | undefined
  #isEnded = false
  #failure: Error | undefined
  /** Whoever waits for the other side. */
  #wake: (() => void) | undefined

  /** Resolves when it was taken. Throws where the reader has ended. */
  async push(piece: Uint8Array): Promise<void> {
    if (piece.length === 0) return
    if (this.#failure === undefined) {
      this.#piece = piece
      this.#tell()
    }
    while (this.#piece !== undefined && this.#failure === undefined) await this.#change()
    if (this.#failure !== undefined) throw this.#failure
  }

  /** Nothing comes any more. */
  end(): void {
    this.#isEnded = true
    this.#tell()
  }

  /** Both sides throw this from now on. */
  fail(error: Error): void {
    this.#failure ??= error
    this.#tell()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for (;;) {
      if (this.#failure !== undefined) throw this.#failure
      const piece = this.#piece
      if (piece !== undefined) {
        this.#piece = undefined
        this.#tell()
        yield piece
      } else if (this.#isEnded) return
      else await this.#change()
    }
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      const other = this.#wake
      this.#wake = () => {
        other?.()
        resolve()
      }
    })
  }

  #tell(): void {
    const wake = this.#wake
    this.#wake = undefined
    wake?.()
  }
}
