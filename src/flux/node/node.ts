// A stream of tables as a value of a script: what is to be done, not yet done. Calling a function over
// tables only adds a node to this graph; the planner may put one read of the store in the place of
// several nodes before anything runs.

import type { FluxContext } from '../context/context.js'
import type { SourceLocation } from '../syntax/ast.js'
import { type TimeBounds, unionBounds } from '../table/bounds.js'
import type { TableStream } from '../table/table.js'
import type { BatchStream } from '../table/table-batch.js'
import { type CallArguments, StreamValue } from '../value/value.js'

/** Gives tables, some of them perhaps in batches; is given tables one by one. */
export type RunNode = (inputs: readonly TableStream[], context: FluxContext) => BatchStream
/** Takes batches as well. */
export type RunBatchNode = (inputs: readonly BatchStream[], context: FluxContext) => BatchStream

/**
 * A way around several nodes: it gives the same tables as the last of them, from what the first is given. Whoever makes
 * the last node knows it; the planner takes it where the store does not do better.
 */
export interface Shortcut {
  /** What comes before all the nodes that are left out. */
  readonly source: StreamNode
  run(input: TableStream, context: FluxContext): BatchStream
}

export class StreamNode extends StreamValue {
  readonly operation: string
  /** As the call gave them: the planner reads here what it knows. */
  readonly args: CallArguments
  readonly inputs: readonly StreamNode[]
  readonly run: RunNode
  /** Of the call. */
  readonly location: SourceLocation | undefined
  shortcut: Shortcut | undefined = undefined
  /** Whoever runs it takes batches apart before it where not. */
  takesBatches = false
  #bounds: TimeBounds | undefined = undefined
  #hasBounds = false

  constructor(
    operation: string,
    args: CallArguments,
    inputs: readonly StreamNode[],
    run: RunNode,
    location: SourceLocation | undefined,
  ) {
    super()
    this.operation = operation
    this.args = args
    this.inputs = inputs
    this.run = run
    this.location = location
  }

  takingBatches(): this {
    this.takesBatches = true
    return this
  }

  /**
   * The span of time that its tables cover, as far as the script says so: `range` sets it, later ranges narrow it,
   * shifts move it, and what brings streams together covers them all. Windows need it before any table comes.
   * undefined: nobody said.
   */
  get bounds(): TimeBounds | undefined {
    if (!this.#hasBounds) this.setBounds(this.#boundsOfInputs())
    return this.#bounds
  }

  /** Its tables lie in these bounds whatever its inputs said. */
  setBounds(bounds: TimeBounds | undefined): this {
    this.#bounds = bounds
    this.#hasBounds = true
    return this
  }

  #boundsOfInputs(): TimeBounds | undefined {
    let bounds: TimeBounds | undefined
    for (const input of this.inputs) {
      const more = input.bounds
      if (more !== undefined) bounds = bounds === undefined ? more : unionBounds(bounds, more)
    }
    return bounds
  }
}
