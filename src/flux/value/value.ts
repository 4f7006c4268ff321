// What a Flux expression evaluates to. Plain JavaScript values where their kind tells the type:
// float = number, int = bigint, bool = boolean, string = string, arrays are arrays, null is null. The
// other types are the classes below. Records and dictionaries are maps: no key that a script chooses
// ever becomes a property of a JavaScript object. Functions of the library and those that scripts write look
// alike to whoever calls them; their arguments have names, never places.

import type { Regex } from '../../column/regex.js'
import type { MaybePromise } from '../../platform/pull-stream.js'
import type { FunctionExpression, SourceLocation } from '../syntax/ast.js'
import type { TableObject } from './table-object.js'

export type FluxValue =
  | null
  | number
  | bigint
  | boolean
  | string
  | Uint
  | Time
  | Duration
  | Regexp
  | Bytes
  | FluxRecord
  | FluxArray
  | Dictionary
  | Dynamic
  | FluxFunction
  | StreamValue
  | TableObject

export type FluxArray = readonly FluxValue[]

/**
 * `compute` of the value, synchronously where it is there: almost every one is, only what reads tables or asks another
 * service must be waited for. Loops over rows do this in place, without a function each.
 */
export function whenReady<T, R>(
  value: MaybePromise<T>,
  compute: (value: T) => MaybePromise<R>,
): MaybePromise<R> {
  return value instanceof Promise ? value.then(compute) : compute(value)
}

export class Uint {
  readonly value: bigint

  constructor(value: bigint) {
    this.value = value
  }
}

export class Time {
  /** Nanoseconds since 1970. */
  readonly ns: bigint

  constructor(ns: bigint) {
    this.ns = ns
  }
}

/** Months and nanoseconds are kept apart (a month has no fixed length); both magnitudes are >= 0. */
export class Duration {
  readonly months: bigint
  readonly ns: bigint
  readonly isNegative: boolean

  constructor(months: bigint, ns: bigint, isNegative: boolean) {
    this.months = months
    this.ns = ns
    this.isNegative = isNegative && (months !== 0n || ns !== 0n)
  }
}

/** RE2 syntax. How it is matched is the business of `regexp.ts`. */
export class Regexp {
  readonly pattern: string
  /** Set when it is first matched. */
  compiled: Regex | undefined = undefined

  constructor(pattern: string) {
    this.pattern = pattern
  }
}

export class Bytes {
  readonly bytes: Uint8Array

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
  }
}

/** A value whose type the checker does not look into. */
export class Dynamic {
  readonly inner: FluxValue

  constructor(inner: FluxValue) {
    this.inner = inner
  }
}

/** Properties in the order in which they were given. `get` of one that is not there: undefined. */
export abstract class FluxRecord {
  abstract get(name: string): FluxValue | undefined
  abstract names(): Iterable<string>

  has(name: string): boolean {
    return this.get(name) !== undefined
  }
}

export class MapRecord extends FluxRecord {
  readonly #properties: ReadonlyMap<string, FluxValue>

  constructor(properties: ReadonlyMap<string, FluxValue>) {
    super()
    this.#properties = properties
  }

  get(name: string): FluxValue | undefined {
    return this.#properties.get(name)
  }

  names(): Iterable<string> {
    return this.#properties.keys()
  }
}

export const emptyRecord: FluxRecord = new MapRecord(new Map())

/** Keys are told apart by type and value; entries stay in key order as Flux keeps them. */
export interface DictionaryEntry {
  readonly key: FluxValue
  readonly value: FluxValue
}

export class Dictionary {
  /** Sorted by key. */
  readonly entries: readonly DictionaryEntry[]

  constructor(entries: readonly DictionaryEntry[]) {
    this.entries = entries
  }
}

/** A stream of tables: what is to be done, not yet done. The kind of it that can be run is `StreamNode`. */
export abstract class StreamValue {
  /** Package and name of the library function that made it: `universe.range`, `influxdata/influxdb.from`. */
  abstract readonly operation: string
}

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
  /** Package and name of a function that the library has in TypeScript: `universe.float`. */
  readonly operation: string | undefined = undefined
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

/** A function that Flux text defines: whoever wants to know what it will do before calling it can look at its text. */
export abstract class DefinedFunction extends FluxFunction {
  abstract readonly node: FunctionExpression

  /** The value of a name that the function did not define itself; undefined: there is none yet. */
  abstract lookup(name: string): FluxValue | undefined
}
