// The table of transforms: which types each takes, which it gives, and how one is made. The families
// lie in files of their own.

import type { FieldType } from '../../column/column.js'
import { assert, UserError } from '../../errors.js'
import { DerivativeTransform, DifferenceTransform, ElapsedTransform } from './differences.js'
import { HoltWintersTransform } from './holt-winters.js'
import type { Transform } from './points.js'
import { CumulativeSumTransform, MovingAverageTransform } from './running-sums.js'
import {
  AdaptiveAverage,
  ChandeMomentum,
  DoubleExponentialAverage,
  EfficiencyRatio,
  ExponentialAverage,
  type Indicator,
  IndicatorTransform,
  RelativeStrength,
  SmoothedMomentum,
  TripleExponentialAverage,
  TripleExponentialRate,
  type Warmup,
} from './technical-indicators.js'

export type { Warmup } from './technical-indicators.js'

export interface TransformCall {
  readonly name: string
  readonly inputType: FieldType
  readonly descending: boolean
  /** derivative, elapsed: the unit written, or what stands for it when none is. */
  readonly unitNs?: bigint
  /** moving_average and the technical analysis: the number of points. holt_winters: how many to predict. */
  readonly n?: number
  /** Technical analysis: how many points are held back; undefined or -1: as many as it takes to warm up. */
  readonly hold?: number
  /** Technical analysis; undefined: 'exponential', for chande_momentum_oscillator 'none'. */
  readonly warmup?: Warmup
  /** holt_winters: points of a season, 0 for none. */
  readonly season?: number
  /** holt_winters: length of the windows of the inner aggregate. */
  readonly intervalNs?: bigint
}

const numbers: readonly FieldType[] = ['float', 'integer', 'unsigned']

/** What the transform gives for an input type. Undefined: it refuses the type, with the text of `typeRefusal`. */
export function transformType(name: string, inputType: FieldType): FieldType | undefined {
  switch (name) {
    case 'elapsed':
      return 'integer'
    case 'holt_winters':
    case 'holt_winters_with_fit':
      return inputType === 'float' || inputType === 'integer' ? 'float' : undefined
    case 'difference':
    case 'non_negative_difference':
    case 'cumulative_sum':
      return numbers.includes(inputType) ? inputType : undefined
    default:
      return numbers.includes(inputType) ? 'float' : undefined
  }
}

export function makeTransform(call: TransformCall): Transform {
  const { name, inputType, descending } = call
  assert(transformType(name, inputType) !== undefined, `${name} of ${inputType}`)
  const type = inputType as 'float' | 'integer' | 'unsigned'
  switch (name) {
    case 'derivative':
    case 'non_negative_derivative':
      return new DerivativeTransform({
        unitNs: given(call, 'unitNs'),
        isNonNegative: name === 'non_negative_derivative',
        isUnsigned: type === 'unsigned',
        descending,
      })
    case 'difference':
    case 'non_negative_difference':
      return new DifferenceTransform(type, name === 'non_negative_difference')
    case 'elapsed':
      return new ElapsedTransform(given(call, 'unitNs'))
    case 'cumulative_sum':
      return new CumulativeSumTransform(type)
    case 'moving_average':
      return new MovingAverageTransform(given(call, 'n'), type)
    case 'holt_winters':
    case 'holt_winters_with_fit':
      return new HoltWintersTransform({
        n: given(call, 'n'),
        season: given(call, 'season'),
        intervalNs: given(call, 'intervalNs'),
        withFit: name === 'holt_winters_with_fit',
      })
  }
  return makeIndicatorTransform(call)
}

function makeIndicatorTransform(call: TransformCall): Transform {
  const n = given(call, 'n')
  const hold = call.hold === -1 ? undefined : call.hold
  const warmup = call.warmup ?? 'exponential'
  const transform = (make: () => Indicator, skipsInfinity = false) =>
    new IndicatorTransform(make, hold, skipsInfinity)
  switch (call.name) {
    case 'exponential_moving_average':
      return transform(() => new ExponentialAverage(n, warmup))
    case 'double_exponential_moving_average':
      return transform(() => new DoubleExponentialAverage(n, warmup))
    case 'triple_exponential_moving_average':
      return transform(() => new TripleExponentialAverage(n, warmup))
    case 'triple_exponential_derivative':
      return transform(() => new TripleExponentialRate(n, warmup), true)
    case 'relative_strength_index':
      return transform(() => new RelativeStrength(n, warmup))
    case 'kaufmans_efficiency_ratio':
      return transform(() => new EfficiencyRatio(n), true)
    case 'kaufmans_adaptive_moving_average':
      return transform(() => new AdaptiveAverage(n), true)
    case 'chande_momentum_oscillator':
      return transform(makeMomentum(n, call.warmup ?? 'none'))
  }
  assert(false, `no transform is called ${call.name}`)
}

function makeMomentum(n: number, warmup: Warmup): () => Indicator {
  if (warmup !== 'none') return () => new SmoothedMomentum(n, warmup)
  // InfluxDB itself falls over here.
  if (n < 2) {
    const text = 'chande_momentum_oscillator period must be greater than 1 without a warmup type'
    throw new UserError('invalid', text)
  }
  return () => new ChandeMomentum(n)
}

/** What the planner must have put into the call. */
function given<K extends 'n' | 'season' | 'unitNs' | 'intervalNs'>(
  call: TransformCall,
  key: K,
): NonNullable<TransformCall[K]> {
  const value = call[key]
  assert(value !== undefined, `${call.name} without ${key}`)
  return value as NonNullable<TransformCall[K]>
}
