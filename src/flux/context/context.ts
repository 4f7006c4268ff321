// What goes along with one run of one script: the service around it, its meters, and its options. Functions
// of the library get it with each call, nodes when they run.

import type { MaybePromise } from '../../platform/pull-stream.js'
import type { PointMeter } from '../../query/limits.js'
import type { NotedReads } from '../../store/noted-reads.js'
import type { FluxValue, Regexp } from '../value/value.js'
import type { MemoryMeter } from './memory-meter.js'
import type { FluxScope } from './scope.js'
import type { StepMeter } from './step-meter.js'
import type { Yielder } from './yielder.js'

export interface FluxContext {
  readonly scope: FluxScope
  readonly signal: AbortSignal
  readonly memory: MemoryMeter
  readonly points: PointMeter
  readonly steps: StepMeter
  /** Whoever computes for long without waiting counts its work here, and waits where somebody else's turn is due. */
  readonly yielder: Yielder
  /** What is read of the store, where a profile is to tell it. */
  reads: NotedReads | undefined
  /** What the option `now` says: the same moment throughout a query unless the script replaces it. */
  now(): MaybePromise<bigint>
  /** An option of a package as it stands now: `option('universe', 'location')`. */
  option(packagePath: string, name: string): MaybePromise<FluxValue | undefined>
  /** The same value for the same pattern: rows put the same ones together again and again. */
  regexp(pattern: string): Regexp
  /** The same value, counted: for large ones that a function hides inside the one it gives. */
  held(value: FluxValue): FluxValue
  /** The same stream, which may be read while the script is still being evaluated. */
  streaming<T>(stream: AsyncIterable<T>): AsyncIterable<T>
}
