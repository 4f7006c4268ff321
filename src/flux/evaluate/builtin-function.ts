// Functions of the library written in TypeScript, as values: bound to the run that calls them. Their
// parameters are read off their signature, once per process.

import type { MaybePromise } from '../../platform/pull-stream.js'
import { Call, type FunctionDefinition } from '../stdlib/define.js'
import type { MonoType, ParameterType } from '../syntax/ast.js'
import { parseType } from '../syntax/parser.js'
import { FluxError } from '../value/error.js'
import {
  type CallArguments,
  type CallSite,
  FluxFunction,
  type Parameter,
  type PositionalCall,
} from '../value/function.js'
import type { FluxValue } from '../value/value.js'
import type { Run } from './run.js'

const known = new WeakMap<FunctionDefinition, readonly Parameter[]>()

const kinds = { Required: 'required', Optional: 'optional', Pipe: 'pipe' } as const

function parametersOf(definition: FunctionDefinition): readonly Parameter[] {
  let parameters = known.get(definition)
  if (parameters === undefined) {
    parameters = functionParameters(parseType(definition.type).monotype).map(({ name, type }) => ({
      name: name?.name ?? '<-',
      kind: kinds[type],
    }))
    known.set(definition, parameters)
  }
  return parameters
}

function functionParameters(type: MonoType): readonly ParameterType[] {
  return type.type === 'FunctionType' ? type.parameters : []
}

export class BuiltinFunction extends FluxFunction {
  /** `universe.range`. */
  readonly operation: string
  readonly definition: FunctionDefinition
  readonly #run: Run

  constructor(operation: string, definition: FunctionDefinition, run: Run) {
    super()
    this.operation = operation
    this.definition = definition
    this.#run = run
  }

  get parameters(): readonly Parameter[] {
    return parametersOf(this.definition)
  }

  override get typeText(): string {
    return this.definition.type
  }

  get hasSideEffect(): boolean {
    return this.definition.hasSideEffect === true
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
    const { turns } = this.#run
    this.#run.weigh(args.values())
    return turns.isDue
      ? turns.pass().then(() => this.#perform(args, site))
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
