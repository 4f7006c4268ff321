// How a package of the library is written down: functions with their signature in Flux's own type
// notation, values, options, and text in Flux for what is best said in Flux. Inference, calls, the
// documentation and the suggestions all live from these definitions.

import type { MaybePromise } from '../../platform/pull-stream.js'
import type { FluxContext } from '../context/context.js'
import { type RunBatchNode, type RunNode, StreamNode } from '../node/node.js'
import type { MonoType, SourceLocation } from '../syntax/ast.js'
import { parseType } from '../syntax/parser.js'
import type { TableStream } from '../table/table.js'
import type { BatchStream } from '../table/table-batch.js'
import { FluxError } from '../value/error.js'
import {
  Bytes,
  type CallArguments,
  Dictionary,
  Duration,
  type FluxArray,
  FluxFunction,
  FluxRecord,
  type FluxValue,
  type Parameter,
  Regexp,
  Time,
  Uint,
} from '../value/value.js'

/** One call of a library function. The accessors throw FluxError where the argument is missing or of another type. */
export class Call {
  /** `universe.range`. */
  readonly operation: string
  readonly args: CallArguments
  readonly context: FluxContext
  readonly location: SourceLocation | undefined

  constructor(
    operation: string,
    args: CallArguments,
    context: FluxContext,
    location: SourceLocation | undefined,
  ) {
    this.operation = operation
    this.args = args
    this.context = context
    this.location = location
  }

  has(name: string): boolean {
    return this.args.has(name)
  }

  /** undefined: not given. null: given without a value. */
  value(name: string): FluxValue | undefined {
    return this.args.get(name)
  }

  required(name: string): FluxValue {
    const value = this.args.get(name)
    if (value === undefined) throw new FluxError(`missing required keyword argument "${name}"`)
    return value
  }

  string(name: string, otherwise?: string): string {
    const value = this.#given(name, otherwise)
    return typeof value === 'string' ? value : this.#mistyped(name, 'string')
  }

  int(name: string, otherwise?: bigint): bigint {
    const value = this.#given(name, otherwise)
    return typeof value === 'bigint' ? value : this.#mistyped(name, 'int')
  }

  float(name: string, otherwise?: number): number {
    const value = this.#given(name, otherwise)
    return typeof value === 'number' ? value : this.#mistyped(name, 'float')
  }

  bool(name: string, otherwise?: boolean): boolean {
    const value = this.#given(name, otherwise)
    return typeof value === 'boolean' ? value : this.#mistyped(name, 'bool')
  }

  uint(name: string): bigint {
    const value = this.required(name)
    return value instanceof Uint ? value.value : this.#mistyped(name, 'uint')
  }

  time(name: string): bigint {
    const value = this.required(name)
    return value instanceof Time ? value.ns : this.#mistyped(name, 'time')
  }

  duration(name: string, otherwise?: Duration): Duration {
    const value = this.#given(name, otherwise)
    return value instanceof Duration ? value : this.#mistyped(name, 'duration')
  }

  regexp(name: string): Regexp {
    const value = this.required(name)
    return value instanceof Regexp ? value : this.#mistyped(name, 'regexp')
  }

  bytes(name: string): Uint8Array {
    const value = this.required(name)
    return value instanceof Bytes ? value.bytes : this.#mistyped(name, 'bytes')
  }

  record(name: string): FluxRecord {
    const value = this.required(name)
    return value instanceof FluxRecord ? value : this.#mistyped(name, 'record')
  }

  array(name: string): FluxArray {
    const value = this.required(name)
    return Array.isArray(value) ? value : this.#mistyped(name, 'array')
  }

  strings(name: string, otherwise?: readonly string[]): readonly string[] {
    if (!this.has(name) && otherwise !== undefined) return otherwise
    const values = this.array(name)
    for (const value of values) if (typeof value !== 'string') this.#mistyped(name, '[string]')
    return values as readonly string[]
  }

  dictionary(name: string): Dictionary {
    const value = this.required(name)
    return value instanceof Dictionary ? value : this.#mistyped(name, 'dictionary')
  }

  function(name: string): FluxFunction {
    const value = this.required(name)
    return value instanceof FluxFunction ? value : this.#mistyped(name, 'function')
  }

  stream(name: string): StreamNode {
    const value = this.required(name)
    return value instanceof StreamNode ? value : this.#mistyped(name, 'stream')
  }

  /** A node of this call. */
  node(inputs: readonly StreamNode[], run: RunNode): StreamNode {
    return new StreamNode(this.operation, this.args, inputs, run, this.location)
  }

  /** One that knows batches of tables. */
  batchNode(inputs: readonly StreamNode[], run: RunBatchNode): StreamNode {
    return this.node(inputs, run as RunNode).takingBatches()
  }

  #given(name: string, otherwise: FluxValue | undefined): FluxValue {
    const value = this.args.get(name)
    if (value !== undefined) return value
    return otherwise === undefined ? this.required(name) : otherwise
  }

  #mistyped(name: string, expected: string): never {
    throw new FluxError(`keyword argument "${name}" should be of type ${expected}`)
  }
}

export class FunctionDefinition {
  readonly kind = 'function'
  /** In Flux's type notation, with constraints: `(v: A) => string where A: Stringable`. */
  readonly type: string
  readonly call: (call: Call) => MaybePromise<FluxValue>
  /** A call counts as a result of the script also where nobody uses its value: `yield`, `to`. */
  readonly hasSideEffect: boolean
  #parameters: readonly Parameter[] | undefined = undefined

  constructor(type: string, call: (call: Call) => MaybePromise<FluxValue>, hasSideEffect: boolean) {
    this.type = type
    this.call = call
    this.hasSideEffect = hasSideEffect
  }

  /** Read off the type when they are first asked for. */
  get parameters(): readonly Parameter[] {
    this.#parameters ??= parametersOf(parseType(this.type).monotype)
    return this.#parameters
  }
}

const kinds = { Required: 'required', Optional: 'optional', Pipe: 'pipe' } as const

function parametersOf(type: MonoType): readonly Parameter[] {
  if (type.type !== 'FunctionType') return []
  return type.parameters.map(({ name, type: kind }) => ({
    name: name?.name ?? '<-',
    kind: kinds[kind],
  }))
}

export interface ValueDefinition {
  readonly kind: 'value'
  readonly type: string
  readonly value: FluxValue
}

export type Definition = FunctionDefinition | ValueDefinition

/** By name, as it is written down; a package looks names up in a map of its own. */
export type Definitions = Readonly<Record<string, Definition>>

export function native(
  type: string,
  call: (call: Call) => MaybePromise<FluxValue>,
  hasSideEffect = false,
): FunctionDefinition {
  return new FunctionDefinition(type, call, hasSideEffect)
}

export function constant(type: string, value: FluxValue): ValueDefinition {
  return { kind: 'value', type, value }
}

export type Transform = (input: TableStream, context: FluxContext) => BatchStream
export type BatchTransform = (input: BatchStream, context: FluxContext) => BatchStream

/**
 * A function from one stream (the argument `tables`) to another. `prepare` looks at the arguments, throws where they
 * are wrong, and gives what is to be done.
 */
export function transformation(
  type: string,
  prepare: (call: Call) => MaybePromise<Transform>,
  hasSideEffect = false,
): FunctionDefinition {
  return transforming(type, prepare, hasSideEffect, (call, transform) =>
    call.node([call.stream('tables')], ([input], context) => transform(input, context)),
  )
}

/** The same for a function that knows batches of tables. */
export function batchTransformation(
  type: string,
  prepare: (call: Call) => MaybePromise<BatchTransform>,
  hasSideEffect = false,
): FunctionDefinition {
  return transforming(type, prepare, hasSideEffect, (call, transform) =>
    call.batchNode([call.stream('tables')], ([input], context) => transform(input, context)),
  )
}

function transforming<T>(
  type: string,
  prepare: (call: Call) => MaybePromise<T>,
  hasSideEffect: boolean,
  make: (call: Call, transform: T) => StreamNode,
): FunctionDefinition {
  const call = (call: Call): MaybePromise<FluxValue> => {
    const transform = prepare(call)
    return transform instanceof Promise
      ? transform.then((ready) => make(call, ready))
      : make(call, transform)
  }
  return new FunctionDefinition(type, call, hasSideEffect)
}
