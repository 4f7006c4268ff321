// Functions as values: those of the library and those that scripts write look alike to whoever calls
// them. Arguments have names, never places.

import type { MaybePromise } from '../../platform/pull-stream.js'
import type { SourceLocation } from '../syntax/ast.js'
import type { FluxValue } from './value.js'

export interface Parameter {
  readonly name: string
  readonly kind: 'required' | 'optional' | 'pipe'
}

export type CallArguments = ReadonlyMap<string, FluxValue>

/** The call in the text of a script that is being carried out: where it stands, and what it calls the function. */
export interface CallSite extends SourceLocation {
  readonly functionName: string
}

/** Takes the values of the names it was made for, in that order. */
export type PositionalCall = (values: readonly FluxValue[]) => MaybePromise<FluxValue>

export abstract class FluxFunction {
  abstract readonly parameters: readonly Parameter[]

  /** Its type in Flux's notation. Where nobody looked into it before, letters stand for what its parts are. */
  get typeText(): string {
    const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
    const parts = this.parameters.map(({ name, kind }, i) => {
      const mark = kind === 'pipe' ? '<-' : kind === 'optional' ? '?' : ''
      return `${mark}${name}: ${letters[i % letters.length]}`
    })
    return `(${parts.join(', ')}) => ${letters[this.parameters.length % letters.length]}`
  }

  /** Throws FluxError where arguments are missing or not known. A pipe argument stands under its parameter's name. */
  abstract call(args: CallArguments, site?: CallSite): MaybePromise<FluxValue>

  /**
   * For calls that come once per row, all with the same argument names: checked once, then called without a map where
   * the kind of function can.
   */
  prepare(names: readonly string[]): PositionalCall {
    return (values) => {
      const args = new Map<string, FluxValue>()
      for (let i = 0; i < names.length; i++) args.set(names[i], values[i])
      return this.call(args)
    }
  }
}
