// What the reads of a query are expected to take, all together, for EXPLAIN and profiles. Of many reads, which are
// slices of one or groups of one measurement, some are looked at and stand for the others.

import type { ReadEstimate, ReadRequest, Store } from './store.js'

/** Elsewhere each costs a statement; here it costs up to some milliseconds where it is about many series. */
const lookedAtMax = 16

export async function estimateReads(
  store: Store,
  requests: readonly ReadRequest[],
  signal: AbortSignal,
): Promise<ReadEstimate> {
  const looked = Math.min(lookedAtMax, requests.length)
  let valueCount = 0
  let storedBytes = requests.length === 0 ? 0 : undefined
  let isShared = false
  for (let i = 0; i < looked; i++) {
    const request = requests[Math.floor((i * requests.length) / looked)]
    const one = await store.estimate(request, signal)
    valueCount += one.valueCount
    if (one.storedBytes !== undefined) storedBytes = (storedBytes ?? 0) + one.storedBytes
    isShared ||= one.isShared
  }
  const each = looked === 0 ? 1 : requests.length / looked
  return {
    valueCount: Math.round(valueCount * each),
    storedBytes: storedBytes === undefined ? undefined : Math.round(storedBytes * each),
    isShared,
  }
}
