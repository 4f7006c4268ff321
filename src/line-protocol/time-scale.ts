// What the precision of a request means for its timestamps, worked out once: how their digits are read,
// and the time of lines that have none.

import { floorDiv } from '../column/time.js'

export type Precision = 'ns' | 'us' | 'ms' | 's' | 'm' | 'h'

const nsPerSecond = 1_000_000_000n

const nsPerUnit: Record<Precision, bigint> = {
  ns: 1n,
  us: 1_000n,
  ms: 1_000_000n,
  s: nsPerSecond,
  m: 60n * nsPerSecond,
  h: 3600n * nsPerSecond,
}

const fractionDigits: Record<Precision, number> = { ns: 9, us: 6, ms: 3, s: 0, m: 0, h: 0 }

export class TimeScale {
  /** The last so many digits of a timestamp count below a second. */
  readonly fractionDigits: number
  readonly nanosPerFraction: number
  readonly secondsPerUnit: number
  readonly nsPerUnit: bigint
  /** For lines without a timestamp: the time of the request, cut to the precision. */
  readonly nowSeconds: number
  readonly nowNanos: number

  constructor(precision: Precision, now: bigint) {
    this.nsPerUnit = nsPerUnit[precision]
    this.fractionDigits = fractionDigits[precision]
    this.nanosPerFraction = 10 ** (9 - this.fractionDigits)
    this.secondsPerUnit = Math.max(1, Number(this.nsPerUnit / nsPerSecond))
    const cut = floorDiv(now, this.nsPerUnit) * this.nsPerUnit
    this.nowSeconds = Number(cut / nsPerSecond)
    this.nowNanos = Number(cut % nsPerSecond)
  }
}
