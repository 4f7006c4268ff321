// What is known of a function of InfluxQL, all in one place: what it takes and gives, which arguments
// it wants, how it is made, what the store can do of it, how it fills. The entries lie by families
// in files of their own; `functions.ts` joins them.

import type { FieldType } from '../../column/column.js'
import type { TimeRange } from '../../column/time.js'
import type { Random } from '../../platform/random.js'
import type { AggregateFunction } from '../../store/store.js'
import type { Call, Expression } from '../syntax/ast.js'
import type { Reducer, Transform } from './points.js'

export const allTypes: readonly FieldType[] = ['float', 'integer', 'unsigned', 'boolean', 'string']
export const numberTypes: readonly FieldType[] = ['float', 'integer', 'unsigned']

export type FunctionSpec = ReducerSpec | TransformSpec | MathSpec

/** Computes row by row. */
export interface MathSpec {
  readonly kind: 'math'
  /** At least and at most. */
  readonly argumentCounts: readonly [number, number]
  /** Types of fields that `fn(*)` stands for. */
  readonly takes: readonly FieldType[]
  readonly kernel: (x: number, y: number) => number
  /** Integers stay as they are. */
  readonly keepsIntegers?: true
  /** InfluxDB does not know the second argument: it does not check its type, and refuses it in a WHERE clause. */
  readonly ignoresSecond?: true
}

interface CallSpec {
  /** At least and at most. */
  readonly argumentCounts: readonly [number, number]
  /** Refuses wrong arguments behind the first, in InfluxDB's words. `limit` is the LIMIT of the SELECT, 0 for none. */
  readonly checkArguments?: (call: Call, limit: number) => void
  /** Types of fields that it takes: `fn(*)` stands for them, and others are refused. */
  readonly takes: readonly FieldType[]
  readonly gives: FieldType | 'same'
  /** What InfluxDB calls it where it refuses a type, if not by its name. */
  readonly nameInErrors?: string
}

/**
 * Brings each window down to one value without a time of its own (aggregate), or to one or several of its points, which
 * may keep their times (selector).
 */
export interface ReducerSpec extends CallSpec {
  readonly kind: 'aggregate' | 'selector'
  readonly work: 'reduce'
  readonly make: (call: ReducerCall) => Reducer
  /** It gives several points of a window; windows without points are never filled. */
  readonly givesSeveral?: true
  /** What fill(null) puts into windows without points. */
  readonly emptyValue?: number
  /** What the store does of it, series by series. Undefined: it must see the points. */
  readonly inStore?: StoreParts
  /** What it is of distinct values, where those are not points between two steps. */
  readonly ofDistinct?: ReducerSpec
  /** It takes tags between its first and last argument, and looks for the best points of each combination by this. */
  readonly bestOfTags?: 'max' | 'min'
  /** The Go type of its points, where InfluxDB refuses to hand them on to another function. */
  readonly iterator?: 'Interval' | 'Reduce'
}

export interface StoreParts {
  readonly parts: readonly AggregateFunction[]
  /** How two parts make the value. */
  readonly join?: 'quotient' | 'difference'
}

/** Makes other points from all points of a group. */
export interface TransformSpec extends CallSpec {
  /** As an aggregate: it has a value for each window, but needs the points on both sides of its borders. */
  readonly kind: 'transform' | 'aggregate'
  readonly work: 'transform'
  readonly make: (call: TransformCall) => Transform
  /** What the first argument may be: a field, a field or an aggregate of it, an aggregate only. */
  readonly input: 'field' | 'any' | 'aggregate'
  /** Windows before the range: read, or only read where another call needs them (subqueries get no more). */
  readonly windowsBefore: 'none' | 'readable' | 'read'
  /** The end of a group takes long: others get their turn. */
  readonly takesLong?: true
}

/** A call that is about to work. */
interface WorkingCall {
  /** The arguments behind the first. */
  readonly args: readonly Expression[]
  readonly inputType: FieldType
  /** Whether points come newest first. */
  readonly descending: boolean
}

export interface ReducerCall extends WorkingCall {
  readonly random: Random
  readonly companionTypes: readonly FieldType[]
  /**
   * Which companions are the tags of the call, in the alphabetical order of their keys; at most one point per
   * combination of their values comes out.
   */
  readonly tagCompanions: readonly number[]
}

export interface TransformCall extends WorkingCall {
  /** Length of the windows of GROUP BY time(), 0 without. */
  readonly intervalNs: bigint
  readonly windows: {
    /** Whether there are windows at all. If not, `windowOf` gives the whole time range. */
    readonly isSplit: boolean
    windowOf(time: bigint): TimeRange
  }
}

/** Undefined: it refuses the type, with the text of `typeRefusal`. */
export function outputType(
  spec: ReducerSpec | TransformSpec,
  inputType: FieldType,
): FieldType | undefined {
  if (!spec.takes.includes(inputType)) return undefined
  return spec.gives === 'same' ? inputType : spec.gives
}

/** Undefined: the store cannot do it. */
export function storeParts(spec: ReducerSpec | TransformSpec): StoreParts | undefined {
  return spec.work === 'reduce' ? spec.inStore : undefined
}
