// How many writes, and how many bytes of them, may be under way at once: memory stays bounded, and those that are under
// way finish sooner. Nobody can take all places. A write that finds none waits for a moment, before its body is read:
// organizations are let in in turn, and an agent whose connection waits asks less often than one that is refused. Who
// has waited for too long, or finds too many waiting, is told to come back.

import { OverloadError } from '../../errors.js'
import type { MaybePromise } from '../../platform/pull-stream.js'
import { type Caller, FairQueue, organizationShare } from '../base/fair-queue.js'

/** Writes that may wait for each place. */
const waitingPerPlace = 4

export interface WriteGateOptions {
  readonly requestsMax: number
  readonly bytesMax: number
  readonly waitSecondsMax: number
}

/** The writes of an organization. */
interface OrgWrites {
  entered: number
  waiting: number
}

export class WriteGate {
  readonly #options: WriteGateOptions
  readonly #orgMax: number
  readonly #waiting = new FairQueue<() => void>()
  /** Writes under way and waiting, by organization. */
  readonly #orgs = new Map<string, OrgWrites>()
  #requests = 0
  #bytes = 0

  constructor(options: WriteGateOptions) {
    this.#options = options
    this.#orgMax = Math.ceil(options.requestsMax * organizationShare)
  }

  /** Throws OverloadError where no place has come free. */
  enter(caller: Caller): MaybePromise<WritePlace> {
    const writes = this.#orgs.get(caller.org) ?? { entered: 0, waiting: 0 }
    if (this.#hasPlace(writes)) return this.#enter(caller, writes)
    if (
      this.#waiting.size >= this.#options.requestsMax * waitingPerPlace ||
      writes.waiting >= this.#orgMax * waitingPerPlace
    ) {
      throw this.#tooMany()
    }
    return this.#wait(caller, writes)
  }

  #hasPlace({ entered }: OrgWrites): boolean {
    return this.#requests < this.#options.requestsMax && entered < this.#orgMax
  }

  #enter(caller: Caller, writes: OrgWrites): WritePlace {
    this.#requests++
    writes.entered++
    this.#orgs.set(caller.org, writes)
    return new WritePlace(this, caller, writes)
  }

  #wait(caller: Caller, writes: OrgWrites): Promise<WritePlace> {
    return new Promise((resolve, reject) => {
      const tooLong = () => {
        this.#waiting.remove(caller, entered)
        writes.waiting--
        this.#forget(caller, writes)
        reject(this.#tooMany())
      }
      const timer = setTimeout(tooLong, this.#options.waitSecondsMax * 1000)
      const entered = () => {
        clearTimeout(timer)
        writes.waiting--
        resolve(this.#enter(caller, writes))
      }
      writes.waiting++
      this.#orgs.set(caller.org, writes)
      this.#waiting.add(caller, entered)
    })
  }

  #forget({ org }: Caller, { entered, waiting }: OrgWrites): void {
    if (entered + waiting === 0) this.#orgs.delete(org)
  }

  #tooMany(): OverloadError {
    const { requestsMax } = this.#options
    return this.#requests < requestsMax
      ? new OverloadError(`more than ${this.#orgMax} concurrent writes of the organization`)
      : new OverloadError(`more than ${requestsMax} concurrent writes`)
  }

  reserve(bytes: number, isAlone: boolean): void {
    const { bytesMax } = this.#options
    // A body larger than the whole bound still gets in when nobody else is there.
    if (this.#bytes + bytes > bytesMax && !isAlone) {
      throw new OverloadError(`more than ${bytesMax} bytes of concurrent writes`)
    }
    this.#bytes += bytes
  }

  leave(caller: Caller, writes: OrgWrites, bytes: number): void {
    this.#requests--
    this.#bytes -= bytes
    writes.entered--
    this.#waiting.take(({ org }) => this.#hasPlace(this.#orgs.get(org) as OrgWrites))?.()
    this.#forget(caller, writes)
  }

  get requests(): number {
    return this.#requests
  }

  get bytes(): number {
    return this.#bytes
  }
}

/** Of a write that was let in. */
export class WritePlace {
  readonly #gate: WriteGate
  readonly #caller: Caller
  readonly #writes: OrgWrites
  #bytes = 0

  constructor(gate: WriteGate, caller: Caller, writes: OrgWrites) {
    this.#gate = gate
    this.#caller = caller
    this.#writes = writes
  }

  reserve(bytes: number): void {
    this.#gate.reserve(bytes, this.#gate.bytes === this.#bytes)
    this.#bytes += bytes
  }

  /** Reserved so far. */
  get bytes(): number {
    return this.#bytes
  }

  release(): void {
    this.#gate.leave(this.#caller, this.#writes, this.#bytes)
    this.#bytes = 0
  }
}
