// The table of reducers: which types each takes, which it gives, and how one is made. The families
// lie in files of their own.

import type { FieldType } from '../../column/column.js'
import { assert } from '../../errors.js'
import type { Random } from '../../platform/random.js'
import { DistinctReducer } from './distinct.js'
import { ExtremeReducer, SpreadReducer } from './extremes.js'
import { EndReducer } from './first-last.js'
import { MedianReducer, StddevReducer } from './median.js'
import { BooleanModeReducer, NumberModeReducer, StringModeReducer } from './mode.js'
import { PercentileReducer } from './percentile.js'
import type { Reducer } from './points.js'
import { SampleReducer } from './sample.js'
import { CountReducer, FloatSumReducer, IntegerSumReducer } from './sums.js'
import { TopBottomReducer } from './top-bottom.js'

export interface ReducerCall {
  /** A function's name; `count_distinct` is `count(distinct(x))`. */
  readonly name: string
  readonly inputType: FieldType
  /** Whether points come newest first. */
  readonly descending: boolean
  /** For `sample`. */
  readonly random: Random
  /** percentile (0-100), sample, top, bottom: the number written in the call. */
  readonly n?: number
  readonly companionTypes: readonly FieldType[]
  /**
   * top, bottom: which companions are the tags of the call, in the alphabetical order of their keys; at most one point
   * per combination of their values comes out.
   */
  readonly tagCompanions?: readonly number[]
}

const all: readonly FieldType[] = ['float', 'integer', 'unsigned', 'boolean', 'string']
const numbers: readonly FieldType[] = ['float', 'integer', 'unsigned']
const ordered: readonly FieldType[] = ['float', 'integer', 'unsigned', 'boolean']

const inputTypes: ReadonlyMap<string, readonly FieldType[]> = new Map([
  ...named(all, 'count', 'count_distinct', 'distinct', 'first', 'last', 'mode', 'sample'),
  ...named(ordered, 'min', 'max'),
  ...named(numbers, 'sum', 'mean', 'spread', 'stddev', 'median', 'percentile', 'top', 'bottom'),
  ...named(numbers, 'integral'),
])

function named(types: readonly FieldType[], ...names: string[]): [string, readonly FieldType[]][] {
  return names.map((name) => [name, types])
}

/** What the reducer gives for an input type. Undefined: it refuses the type, with the text of `typeRefusal`. */
export function reducerType(name: string, inputType: FieldType): FieldType | undefined {
  if (inputTypes.get(name)?.includes(inputType) !== true) return undefined
  switch (name) {
    case 'count':
    case 'count_distinct':
      return 'integer'
    case 'mean':
    case 'stddev':
    case 'median':
    case 'integral':
      return 'float'
    default:
      return inputType
  }
}

/** Any reducer but `integral`, which is no matter of one window: see `IntegralTransform`. */
export function makeReducer(call: ReducerCall): Reducer {
  const { name, inputType, companionTypes } = call
  assert(reducerType(name, inputType) !== undefined, `${name} of ${inputType}`)
  switch (name) {
    case 'count':
      return new CountReducer()
    case 'count_distinct':
    case 'distinct':
      return new DistinctReducer(inputType, name === 'count_distinct')
    case 'sum':
    case 'mean':
      return makeSum(name === 'mean', inputType)
    case 'min':
    case 'max':
      return new ExtremeReducer(name === 'max', inputType)
    case 'first':
    case 'last':
      return new EndReducer(name === 'last', inputType, call.descending)
    case 'spread':
      return new SpreadReducer(inputType)
    case 'stddev':
      return new StddevReducer()
    case 'median':
      return new MedianReducer(inputType)
    case 'mode':
      return makeMode(inputType)
    case 'percentile':
      return new PercentileReducer(numberOf(call), inputType, companionTypes)
    case 'sample':
      return new SampleReducer(numberOf(call), call.random)
    case 'top':
    case 'bottom': {
      const { tagCompanions = [] } = call
      return new TopBottomReducer({ isTop: name === 'top', n: numberOf(call), tagCompanions })
    }
  }
  assert(false, `no reducer is called ${name}`)
}

function makeSum(isMean: boolean, inputType: FieldType): Reducer {
  if (inputType === 'float') return new FloatSumReducer(isMean)
  return new IntegerSumReducer(isMean, inputType === 'integer')
}

function makeMode(inputType: FieldType): Reducer {
  if (inputType === 'boolean') return new BooleanModeReducer()
  return inputType === 'string' ? new StringModeReducer() : new NumberModeReducer(inputType)
}

function numberOf(call: ReducerCall): number {
  assert(call.n !== undefined, `${call.name} without its number`)
  return call.n
}
