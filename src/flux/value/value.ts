// What a Flux expression evaluates to. Plain JavaScript values where their kind tells the type:
// float = number, int = bigint, bool = boolean, string = string, arrays are arrays, null is null. The
// other types are the classes below. Records and dictionaries are maps: no key that a script chooses
// ever becomes a property of a JavaScript object.

import type { MaybePromise } from '../../platform/pull-stream.js'
import type { StreamNode } from '../plan/node.js'
import type { TableObject } from '../table/table-object.js'
import type { FluxFunction } from './function.js'

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
  | StreamNode
  | TableObject

export type FluxArray = readonly FluxValue[]

/**
 * `compute` of the value, at once where it is there: almost every one is, only what reads tables or asks another
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
