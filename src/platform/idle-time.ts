// How much of its time the process waits for something to do, as the event loop itself measures it: for
// work that is only done while there is no other.

import { performance } from 'node:perf_hooks'

/** Makes a function that tells the share since it was asked before: 1 where nothing was to be done. */
export function idleShares(): () => number {
  let last = performance.eventLoopUtilization()
  return () => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, last)
    last = now
    return 1 - utilization
  }
}
