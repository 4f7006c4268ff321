// A node that reads from a bucket or writes into one. Before anything of a query runs, the planner finds
// out which bucket that is, and whether whoever asks may use it in this way.

import type { BucketReference } from '../context/scope.js'
import { type RunNode, StreamNode } from './node.js'

export class BucketNode extends StreamNode {
  readonly reference: BucketReference
  readonly action: 'read' | 'write'

  /** `like`: what it is in all other respects. */
  constructor(like: StreamNode, reference: BucketReference, action: 'read' | 'write') {
    super(like.operation, like.args, like.inputs, like.run, like.location)
    this.reference = reference
    this.action = action
    this.takesBatches = like.takesBatches
  }
}

/** As messages name it. */
export function bucketText({ bucket, bucketId }: BucketReference): string {
  return bucket ?? bucketId ?? ''
}

/** For nodes that only the planner can carry out. */
export const cannotRun: RunNode = () => {
  throw new Error('the planner replaces this node')
}
