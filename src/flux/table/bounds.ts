// Spans of time that tables cover: what two of them have in common, and what covers both. An empty one
// is a span like others.

/** Half open. */
export interface TimeBounds {
  readonly startNs: bigint
  readonly stopNs: bigint
}

export const emptyBounds: TimeBounds = { startNs: 0n, stopNs: 0n }

export function isEmptyBounds({ startNs, stopNs }: TimeBounds): boolean {
  return startNs >= stopNs
}

export function doBoundsOverlap(a: TimeBounds, b: TimeBounds): boolean {
  return a.startNs < b.stopNs && b.startNs < a.stopNs
}

/** Where they have nothing in common: undefined. */
export function intersectBounds(a: TimeBounds, b: TimeBounds): TimeBounds | undefined {
  const startNs = a.startNs > b.startNs ? a.startNs : b.startNs
  const stopNs = a.stopNs < b.stopNs ? a.stopNs : b.stopNs
  return startNs < stopNs ? { startNs, stopNs } : undefined
}

export function unionBounds(a: TimeBounds, b: TimeBounds): TimeBounds {
  if (isEmptyBounds(a) || isEmptyBounds(b)) return emptyBounds
  return {
    startNs: a.startNs < b.startNs ? a.startNs : b.startNs,
    stopNs: a.stopNs > b.stopNs ? a.stopNs : b.stopNs,
  }
}
