// A node that reads less where it knows the span of time that is wanted of it: `range` asks it for such a
// read in its place. What it gives without one is everything.

import type { TimeBounds } from '../table/bounds.js'
import { BucketNode } from './bucket-node.js'
import type { StreamNode } from './node.js'

export class RangedNode extends BucketNode {
  /** A node that gives at least the rows within the bounds. */
  readonly within: (bounds: TimeBounds) => StreamNode

  /** `like`: what it is in all other respects. */
  constructor(like: BucketNode, within: (bounds: TimeBounds) => StreamNode) {
    super(like, like.reference, like.action)
    this.within = within
  }
}
