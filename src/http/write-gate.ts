// How many writes, and how many bytes of them, may be under way at once. Beyond that a writer is
// told to come back: memory stays bounded, and the others finish sooner. A gate can be narrowed by
// a rule of its own, such as an organization's; both then hold.

import { OverloadError } from './errors.js'

/** What else a write has to pass, and where its end is told. */
export interface GateRule {
  /** Throws where no place is free. */
  enter(): void
  leave(bytes: number): void
}

interface Occupancy {
  requests: number
  bytes: number
}

export class WriteGate {
  readonly #requestsMax: number
  readonly #bytesMax: number
  /** Shared with the gates that were narrowed from this one. */
  readonly #occupancy: Occupancy
  readonly #rule: GateRule | undefined

  constructor(
    requestsMax: number,
    bytesMax: number,
    occupancy: Occupancy = { requests: 0, bytes: 0 },
    rule?: GateRule,
  ) {
    this.#requestsMax = requestsMax
    this.#bytesMax = bytesMax
    this.#occupancy = occupancy
    this.#rule = rule
  }

  narrowedBy(rule: GateRule): WriteGate {
    return new WriteGate(this.#requestsMax, this.#bytesMax, this.#occupancy, rule)
  }

  /** Throws OverloadError where no place is free. */
  enter(): WriteSlot {
    if (this.#occupancy.requests >= this.#requestsMax) {
      throw new OverloadError(`more than ${this.#requestsMax} concurrent writes`)
    }
    this.#rule?.enter()
    this.#occupancy.requests++
    return new WriteSlot(this)
  }

  reserve(bytes: number, isAlone: boolean): void {
    // A body larger than the whole bound still gets in when nobody else is there.
    if (this.#occupancy.bytes + bytes > this.#bytesMax && !isAlone) {
      throw new OverloadError(`more than ${this.#bytesMax} bytes of concurrent writes`)
    }
    this.#occupancy.bytes += bytes
  }

  leave(bytes: number): void {
    this.#occupancy.requests--
    this.#occupancy.bytes -= bytes
    this.#rule?.leave(bytes)
  }

  get requests(): number {
    return this.#occupancy.requests
  }

  get bytes(): number {
    return this.#occupancy.bytes
  }
}

export class WriteSlot {
  readonly #gate: WriteGate
  #bytes = 0

  constructor(gate: WriteGate) {
    this.#gate = gate
  }

  reserve(bytes: number): void {
    this.#gate.reserve(bytes, this.#gate.bytes === this.#bytes)
    this.#bytes += bytes
  }

  release(): void {
    this.#gate.leave(this.#bytes)
    this.#bytes = 0
  }
}
