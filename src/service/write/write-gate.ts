// How many writes, and how many bytes of them, may be under way at once. Beyond that a writer is told to come back:
// memory stays bounded, and the others finish sooner. A write may have to pass a rule of its own besides, such as an
// organization's limit.

import { OverloadError } from '../../errors.js'
import type { WriteRule } from '../limits/organization-limits.js'

export class WriteGate {
  readonly #requestsMax: number
  readonly #bytesMax: number
  #requests = 0
  #bytes = 0

  constructor(requestsMax: number, bytesMax: number) {
    this.#requestsMax = requestsMax
    this.#bytesMax = bytesMax
  }

  /** Throws OverloadError where no place is free. */
  enter(rule: WriteRule | undefined): WriteSlot {
    if (this.#requests >= this.#requestsMax) {
      throw new OverloadError(`more than ${this.#requestsMax} concurrent writes`)
    }
    rule?.enter()
    this.#requests++
    return new WriteSlot(this, rule)
  }

  reserve(bytes: number, isAlone: boolean): void {
    // A body larger than the whole bound still gets in when nobody else is there.
    if (this.#bytes + bytes > this.#bytesMax && !isAlone) {
      throw new OverloadError(`more than ${this.#bytesMax} bytes of concurrent writes`)
    }
    this.#bytes += bytes
  }

  leave(bytes: number): void {
    this.#requests--
    this.#bytes -= bytes
  }

  get requests(): number {
    return this.#requests
  }

  get bytes(): number {
    return this.#bytes
  }
}

export class WriteSlot {
  readonly #gate: WriteGate
  readonly #rule: WriteRule | undefined
  #bytes = 0

  constructor(gate: WriteGate, rule: WriteRule | undefined) {
    this.#gate = gate
    this.#rule = rule
  }

  reserve(bytes: number): void {
    this.#gate.reserve(bytes, this.#gate.bytes === this.#bytes)
    this.#bytes += bytes
  }

  release(): void {
    this.#gate.leave(this.#bytes)
    this.#rule?.leave(this.#bytes)
    this.#bytes = 0
  }
}
