// The technical analysis as functions: a period, and where they want to say so, how many points are held
// back and how the indicator warms up.

import { UserError } from '../../errors.js'
import { checkIndicator, integerArgument, integerOf } from './arguments.js'
import type { TransformSpec } from './function-spec.js'
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
import { transform } from './transforms.js'

interface IndicatorOptions {
  /** The first is meant where none is written; no warm-up may be written where there is none. */
  readonly warmups?: readonly Warmup[]
  readonly holdMin?: bigint
  readonly skipsInfinity?: boolean
}

const finite = { skipsInfinity: true }

export const indicators = {
  exponential_moving_average: indicator(made(ExponentialAverage)),
  double_exponential_moving_average: indicator(made(DoubleExponentialAverage)),
  triple_exponential_moving_average: indicator(made(TripleExponentialAverage)),
  triple_exponential_derivative: indicator(made(TripleExponentialRate), { holdMin: 1n, ...finite }),
  relative_strength_index: indicator(made(RelativeStrength)),
  kaufmans_efficiency_ratio: indicator(made(EfficiencyRatio), { warmups: [], ...finite }),
  kaufmans_adaptive_moving_average: indicator(made(AdaptiveAverage), { warmups: [], ...finite }),
  chande_momentum_oscillator: indicator(momentum, { warmups: ['none', 'exponential', 'simple'] }),
} satisfies Record<string, TransformSpec>

function indicator(
  make: (period: number, warmup: Warmup) => Indicator,
  {
    warmups = ['exponential', 'simple'],
    holdMin = 0n,
    skipsInfinity = false,
  }: IndicatorOptions = {},
): TransformSpec {
  return {
    ...transform,
    argumentCounts: [2, warmups.length === 0 ? 3 : 4],
    checkArguments: (call) => checkIndicator(call, holdMin, warmups),
    gives: 'float',
    make: ({ args: [period, written, named] }) => {
      const n = integerArgument(period)
      const warmup = named?.kind === 'string' ? (named.value as Warmup) : warmups[0]
      const hold = integerOf(written)
      // -1: as many as it takes to warm up.
      const held = hold === -1 ? undefined : hold
      return new IndicatorTransform(() => make(n, warmup), held, skipsInfinity)
    },
  }
}

function made(Class: new (period: number, warmup: Warmup) => Indicator): typeof momentum {
  return (period, warmup) => new Class(period, warmup)
}

function momentum(period: number, warmup: Warmup): Indicator {
  if (warmup !== 'none') return new SmoothedMomentum(period, warmup)
  // InfluxDB itself falls over here.
  if (period < 2) {
    const text = 'chande_momentum_oscillator period must be greater than 1 without a warmup type'
    throw new UserError('invalid', text)
  }
  return new ChandeMomentum(period)
}
