// Counts the calls of functions in one run of a script, and within one call of a row function: a
// handful of lines can ask for more of them than there are seconds in a year. Also where a script that
// computes without waiting notices that it was stopped.

import type { Clock } from '../../platform/clock.js'
import { LimitError } from '../value/error.js'
import type { Yielder } from './yielder.js'

const nsPerSecond = 1_000_000_000n
/** Few: some calls take milliseconds. */
const stepsBetweenLooks = 64

export class StepMeter {
  readonly #limit: number
  readonly #signal: AbortSignal
  readonly #clock: Clock
  /** 0n: there is no end. */
  readonly #deadlineNs: bigint
  readonly #yielder: Yielder
  #steps = 0
  #rowSteps = 0
  #sinceLook = 0

  /** The time that it may take is measured here too: timers do not run while a script computes. 0: no limit. */
  constructor(
    limit: number,
    timeoutSeconds: number,
    clock: Clock,
    signal: AbortSignal,
    yielder: Yielder,
  ) {
    this.#limit = limit
    this.#signal = signal
    this.#clock = clock
    const lastsNs = BigInt(Math.ceil(timeoutSeconds)) * nsPerSecond
    this.#deadlineNs = lastsNs === 0n ? 0n : clock.now() + lastsNs
    this.#yielder = yielder
  }

  /** A call while the script is evaluated. */
  step(): void {
    this.#steps++
    if (++this.#sinceLook === stepsBetweenLooks) this.#look()
  }

  /** A call for a row. How many rows there are is the business of other limits: each begins to count anew. */
  rowStep(isFirst: boolean): void {
    this.#rowSteps = isFirst ? 1 : this.#rowSteps + 1
    if (++this.#sinceLook === stepsBetweenLooks) this.#look()
  }

  #look(): void {
    this.#sinceLook = 0
    this.#yielder.add(stepsBetweenLooks)
    if (this.#limit > 0 && Math.max(this.#steps, this.#rowSteps) > this.#limit) {
      throw new LimitError(`the script calls functions more than ${this.#limit} times`)
    }
    this.#signal.throwIfAborted()
    const nowNs = this.#clock.now()
    this.#yielder.tick(nowNs)
    const isLate = this.#deadlineNs !== 0n && nowNs > this.#deadlineNs
    if (isLate) throw new LimitError('query-timeout limit exceeded', 'unavailable')
  }
}
