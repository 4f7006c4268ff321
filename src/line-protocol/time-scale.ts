// What the precision of a request means for its timestamps: how many nanoseconds one more of them is, and the time of
// lines that have none.

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

export class TimeScale {
  readonly nsPerUnit: bigint
  /** For lines without a timestamp: the time of the request, cut to the precision. */
  readonly now: bigint

  constructor(precision: Precision, now: bigint) {
    this.nsPerUnit = nsPerUnit[precision]
    this.now = floorDiv(now, this.nsPerUnit) * this.nsPerUnit
  }
}
