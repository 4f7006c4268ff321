// Functions of the library written in TypeScript, as values: bound to the run that calls them.
// Arguments are checked against the parameters that their signature names.

import type { MaybePromise } from '../../platform/pull-stream.js'
import { Call, type FunctionDefinition } from '../package/define.js'
import { FluxError } from '../value/error.js'
import type { FluxValue } from '../value/value.js'
import {
  type CallArguments,
  type CallSite,
  FluxFunction,
  type Parameter,
  type PositionalCall,
} from '../value/value.js'
import type { Run } from './run.js'

export class BuiltinFunction extends FluxFunction {
  override readonly operation: string
  readonly definition: FunctionDefinition
  readonly #run: Run

  constructor(operation: string, definition: FunctionDefinition, run: Run) {
    super()
    this.operation = operation
    this.definition = definition
    this.#run = run
  }

  get parameters(): readonly Parameter[] {
    return this.definition.parameters
  }

  override get typeText(): string {
    return this.definition.type
  }

  get hasSideEffect(): boolean {
    return this.definition.hasSideEffect
  }

  call(args: CallArguments, site?: CallSite): MaybePromise<FluxValue> {
    this.check([...args.keys()])
    return this.invoke(args, site)
  }

  override prepare(names: readonly string[]): PositionalCall {
    this.check(names)
    return (values) => {
      const args = new Map<string, FluxValue>()
      for (let i = 0; i < names.length; i++) args.set(names[i], values[i])
      return this.invoke(args, undefined)
    }
  }

  /** With arguments whose names were checked. */
  invoke(args: CallArguments, site: CallSite | undefined): MaybePromise<FluxValue> {
    const { yielder } = this.#run
    this.#run.weigh(args.values())
    return yielder.isDue
      ? yielder.yield().then(() => this.#perform(args, site))
      : this.#perform(args, site)
  }

  #perform(args: CallArguments, site: CallSite | undefined): MaybePromise<FluxValue> {
    this.#run.enter()
    try {
      const result = this.definition.call(new Call(this.operation, args, this.#run, site))
      return result instanceof Promise
        ? result.then((value) => this.#run.held(value))
        : this.#run.held(result)
    } finally {
      this.#run.leave()
    }
  }

  /** What the checker of types has found already, for calls that it did not see. Throws FluxError. */
  check(names: readonly string[]): void {
    const unused = new Set(names)
    for (const { name, kind } of this.parameters) {
      if (!unused.delete(name) && kind === 'required') {
        throw new FluxError(`missing required keyword argument "${name}"`)
      }
    }
    if (unused.size > 0) throw new FluxError(`unused arguments [${[...unused].join(' ')}]`)
  }
}
