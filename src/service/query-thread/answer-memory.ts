// The memory in which printed answers cross to the serving thread: pieces that both see, numbered, made when first
// needed and used again and again. Nothing is moved between threads, and nothing is left to the collectors, to which
// shared memory weighs nothing. A piece is the serving thread's until it says that it was taken.

/** Encoders hand out 64 KB and the rest of a row. */
const pieceBytes = 96 << 10
/** Of one answer: enough to be printed while the one before is sent. */
const piecesAhead = 4

export type SendPiece = (number: number, bytes: SharedArrayBuffer, length: number) => void

export class AnswerMemory {
  readonly #pieces: SharedArrayBuffer[] = []
  readonly #free: number[] = []
  /** Whose answer is in a piece, by its number. */
  readonly #owners = new Map<number, AnswerPieces>()

  take(owner: AnswerPieces): number {
    const number = this.#free.pop() ?? this.#pieces.push(new SharedArrayBuffer(pieceBytes)) - 1
    this.#owners.set(number, owner)
    return number
  }

  piece(number: number): SharedArrayBuffer {
    return this.#pieces[number]
  }

  taken(number: number): void {
    this.#owners.get(number)?.taken()
    this.#owners.delete(number)
    this.#free.push(number)
  }
}

/** The pieces that one answer has on their way. */
export class AnswerPieces {
  readonly #memory: AnswerMemory
  readonly #send: SendPiece
  #outCount = 0
  #wake: (() => void) | undefined

  constructor(memory: AnswerMemory, send: SendPiece) {
    this.#memory = memory
    this.#send = send
  }

  /** Resolves when the bytes are copied: the serving thread may not have them all yet. */
  async write(bytes: Uint8Array, signal: AbortSignal): Promise<void> {
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      while (this.#outCount >= piecesAhead) await this.#room(signal)
      this.#outCount++
      const number = this.#memory.take(this)
      const piece = this.#memory.piece(number)
      const part = bytes.subarray(at, at + pieceBytes)
      new Uint8Array(piece).set(part)
      this.#send(number, piece, part.length)
    }
  }

  taken(): void {
    this.#outCount--
    this.#wake?.()
  }

  async #room(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    await new Promise<void>((resolve) => {
      const done = () => {
        signal.removeEventListener('abort', done)
        this.#wake = undefined
        resolve()
      }
      this.#wake = done
      signal.addEventListener('abort', done)
    })
    signal.throwIfAborted()
  }
}
