// The time of a row that stands for a window: the window's start. A range without a beginning counts
// from 1970, which is when InfluxDB says such a row is from.

import { timeMin } from '../../column/time.js'

export function stampOf(start: bigint): bigint {
  return start === timeMin ? 0n : start
}
