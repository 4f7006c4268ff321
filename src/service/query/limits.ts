// The limits that hold for every query, in whichever language
// and over whichever interface it is asked.

import type { Config } from '../../config.js'
import type { QueryLimits } from '../../query/limits.js'

export function queryLimits(config: Config): QueryLimits {
  return {
    timeoutSeconds: config.queryTimeoutSeconds,
    concurrentMax: config.queryConcurrentMax,
    pointsMax: config.queryPointsMax,
    seriesMax: config.querySeriesMax,
    bucketsMax: config.queryBucketsMax,
    memoryBytesMax: config.queryMemoryBytesMax,
  }
}

/** Of two limits of which 0 is none. */
export function shorter(a: number, b: number): number {
  return a === 0 || b === 0 ? a + b : Math.min(a, b)
}
