// Reads a pipe or socket whose other end is written by another process, and waits for it: for a process that has
// nothing else to do until the bytes are there. The descriptor must be a blocking one.

import { readSync } from 'node:fs'

/** Some rows of a table at once; frames are smaller, as a rule. */
const bufferBytes = 512 * 1024

export class BlockingInput {
  readonly #descriptor: number
  #buffer = Buffer.alloc(bufferBytes)
  #from = 0
  #to = 0

  constructor(descriptor: number) {
    this.#descriptor = descriptor
  }

  /** The next bytes, valid until the next call; undefined where the other end was closed before. */
  take(byteCount: number): Buffer | undefined {
    if (this.#from + byteCount > this.#buffer.length) this.#makeRoom(byteCount)
    while (this.#to - this.#from < byteCount) {
      const room = this.#buffer.length - this.#to
      const count = readSync(this.#descriptor, this.#buffer, this.#to, room, null)
      if (count === 0) return undefined
      this.#to += count
    }
    this.#from += byteCount
    return this.#buffer.subarray(this.#from - byteCount, this.#from)
  }

  #makeRoom(byteCount: number): void {
    const rest = this.#buffer.subarray(this.#from, this.#to)
    const isSmall = byteCount <= this.#buffer.length
    const target = isSmall ? this.#buffer : Buffer.alloc(byteCount * 2)
    rest.copy(target)
    this.#buffer = target
    this.#to = rest.length
    this.#from = 0
  }
}
