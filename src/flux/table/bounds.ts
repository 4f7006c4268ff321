// The span of time that a stream of tables covers, as far as the script says so: `range` sets it, later
// ranges narrow it, shifts move it, and what brings streams together covers them all. Windows need it
// before any table comes; a node's arguments need not be looked at again.

import type { StreamNode } from '../plan/node.js'

/** Half open. */
export interface TimeBounds {
  readonly startNs: bigint
  readonly stopNs: bigint
}

export const emptyBounds: TimeBounds = { startNs: 0n, stopNs: 0n }

/** What nodes that change the span make of that of their inputs. */
const ownBounds = new WeakMap<StreamNode, TimeBounds | undefined>()

/** The node's tables lie in these bounds whatever its inputs said. */
export function setBounds(node: StreamNode, bounds: TimeBounds | undefined): StreamNode {
  ownBounds.set(node, bounds)
  return node
}

/** undefined: nobody said. */
export function boundsOf(node: StreamNode): TimeBounds | undefined {
  if (ownBounds.has(node)) return ownBounds.get(node)
  let bounds: TimeBounds | undefined
  for (const input of node.inputs) {
    const more = boundsOf(input)
    if (more !== undefined) bounds = bounds === undefined ? more : unionBounds(bounds, more)
  }
  ownBounds.set(node, bounds)
  return bounds
}

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
