// `date_bin(interval, time, origin)` as the windows of a store: of one width in nanoseconds, from an origin that
// whoever reads the query finds the moment of.

import { floorDiv } from '../../column/time.js'
import { intervalOf } from '../statement/intervals.js'
import type { TreeNode } from '../statement/tree.js'

export interface Bin {
  readonly widthNs: bigint
  /** Undefined: they start at 1970. */
  readonly origin: TreeNode | undefined
}

/** Undefined where it is no bin of the time, or one of months. */
export function binOf(node: TreeNode, isTime: (node: TreeNode) => boolean): Bin | undefined {
  const [interval, time, origin, ...more] = node.children ?? []
  if (node.function_name !== 'date_bin' || more.length > 0 || !isTime(time)) return undefined
  const width = intervalOf(interval)
  if (width === undefined || width.months !== 0n || width.ns <= 0n) return undefined
  return { widthNs: width.ns, origin }
}

/** `start`: the moment of the origin. */
export function windowOfBin({ widthNs }: Bin, start: bigint) {
  return { everyNs: widthNs, offsetNs: start - floorDiv(start, widthNs) * widthNs }
}
