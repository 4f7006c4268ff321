// Functions that scripts and the library's own Flux text define: compiled code and the frame it was
// made in. Arguments go straight into the places of a new frame; which goes where is worked out once
// per place that calls.

import type { MaybePromise } from '../../platform/pull-stream.js'
import type { FunctionExpression } from '../syntax/ast.js'
import { FluxError } from '../value/error.js'
import type { FluxValue } from '../value/value.js'
import {
  type CallArguments,
  type CallSite,
  DefinedFunction,
  type Parameter,
  type PositionalCall,
} from '../value/value.js'
import type { Evaluate } from './evaluate.js'
import { Frame } from './frame.js'
import type { FrameSize } from './name-scope.js'

/** What is known of a function expression before it is evaluated. Parameters have the first places of the frame. */
export interface FunctionCode {
  readonly node: FunctionExpression
  /** undefined: its text was not checked. */
  typeText(): string | undefined
  readonly parameters: readonly Parameter[]
  /** For each parameter; evaluated where the function was made. undefined: it must be given. */
  readonly defaults: readonly (Evaluate | undefined)[]
  readonly frame: FrameSize
  readonly body: Evaluate
  /** What a name means where the function was made. */
  lookup(name: string, frame: Frame): MaybePromise<FluxValue> | undefined
}

/** For each parameter of a function the argument it gets, or -1: the default. */
export type Binding = Int32Array

/** Throws FluxError where arguments are missing or not known. */
export function bindArguments(code: FunctionCode, names: readonly string[]): Binding {
  const { parameters, defaults } = code
  const binding = new Int32Array(parameters.length)
  const places = new Map(names.map((name, i) => [name, i]))
  const unused = new Set(names)
  for (let i = 0; i < parameters.length; i++) {
    const { name } = parameters[i]
    binding[i] = places.get(name) ?? -1
    unused.delete(name)
    if (binding[i] < 0 && defaults[i] === undefined) {
      throw new FluxError(`missing required keyword argument "${name}"`)
    }
  }
  if (unused.size > 0) throw new FluxError(`unused arguments [${[...unused].join(' ')}]`)
  return binding
}

export class ClosureFunction extends DefinedFunction {
  readonly code: FunctionCode
  readonly #frame: Frame

  constructor(code: FunctionCode, frame: Frame) {
    super()
    this.code = code
    this.#frame = frame
  }

  get parameters(): readonly Parameter[] {
    return this.code.parameters
  }

  override get typeText(): string {
    return this.code.typeText() ?? super.typeText
  }

  get node(): FunctionExpression {
    return this.code.node
  }

  lookup(name: string): FluxValue | undefined {
    const value = this.code.lookup(name, this.#frame)
    return value instanceof Promise ? undefined : value
  }

  call(args: CallArguments, site?: CallSite): MaybePromise<FluxValue> {
    const binding = bindArguments(this.code, [...args.keys()])
    return this.invoke(binding, [...args.values()], site)
  }

  invoke(
    binding: Binding,
    values: readonly FluxValue[],
    site: CallSite | undefined,
  ): MaybePromise<FluxValue> {
    const frame = new Frame(this.code.frame.size, this.#frame, this.#frame.run, site)
    return this.#fill(frame, binding, values)
  }

  /** Without functions made inside, nothing keeps the frame of a call: the next one takes it over. */
  override prepare(names: readonly string[]): PositionalCall {
    const { code } = this
    const { run } = this.#frame
    const binding = bindArguments(code, names)
    if (code.frame.hasFunctions) {
      return (values) => {
        const isRow = run.isBetweenRows
        const result = this.invoke(binding, values, undefined)
        return isRow && result instanceof Promise ? run.withinRow(result) : result
      }
    }
    let spare: Frame | undefined
    return (values) => {
      const frame = spare ?? new Frame(code.frame.size, this.#frame, run, undefined)
      spare = undefined
      const isRow = run.isBetweenRows
      const result = this.#fill(frame, binding, values)
      if (result instanceof Promise) return isRow ? run.withinRow(result) : result
      spare = frame
      return result
    }
  }

  #fill(frame: Frame, binding: Binding, values: readonly FluxValue[]): MaybePromise<FluxValue> {
    const { slots } = frame
    for (let i = 0; i < binding.length; i++) {
      const from = binding[i]
      if (from >= 0) {
        slots[i] = values[from]
        continue
      }
      const value = this.code.defaults[i]!(this.#frame)
      if (value instanceof Promise) return this.#fillLater(frame, binding, values, i, value)
      slots[i] = value
    }
    return this.#enter(frame)
  }

  async #fillLater(
    frame: Frame,
    binding: Binding,
    values: readonly FluxValue[],
    at: number,
    pending: Promise<FluxValue>,
  ): Promise<FluxValue> {
    frame.slots[at] = await pending
    for (let i = at + 1; i < binding.length; i++) {
      const from = binding[i]
      frame.slots[i] = from >= 0 ? values[from] : await this.code.defaults[i]!(this.#frame)
    }
    return this.#enter(frame)
  }

  #enter(frame: Frame): MaybePromise<FluxValue> {
    const { run } = frame
    run.enter()
    try {
      return run.yielder.isDue ? this.#enterLater(frame) : this.code.body(frame)
    } finally {
      run.leave()
    }
  }

  async #enterLater(frame: Frame): Promise<FluxValue> {
    await frame.run.yielder.yield()
    return this.code.body(frame)
  }
}
