// A stream of tables as a value of a script: what is to be done, not yet done. Calling a function over
// tables only adds a node to this graph; the planner may put one read of the store in the place of
// several nodes before anything runs.

import type { FluxContext } from '../evaluate/context.js'
import type { SourceLocation } from '../syntax/ast.js'
import type { TableStream } from '../table/table.js'
import type { CallArguments } from '../value/function.js'

export type RunNode = (inputs: readonly TableStream[], context: FluxContext) => TableStream

export class StreamNode {
  /** Package and name of the library function: `universe.range`, `influxdata/influxdb.from`. */
  readonly operation: string
  /** As the call gave them: the planner reads here what it knows. */
  readonly args: CallArguments
  readonly inputs: readonly StreamNode[]
  readonly run: RunNode
  /** Of the call. */
  readonly location: SourceLocation | undefined

  constructor(
    operation: string,
    args: CallArguments,
    inputs: readonly StreamNode[],
    run: RunNode,
    location: SourceLocation | undefined,
  ) {
    this.operation = operation
    this.args = args
    this.inputs = inputs
    this.run = run
    this.location = location
  }
}
