// Functions that make other points from the points of a group: differences, running sums, forecasts, and the
// integral of each window.

import type { FieldType } from '../../column/column.js'
import { nsPerSecond } from '../../column/time.js'
import {
  checkHoltWinters,
  checkIntegralUnit,
  checkMovingAverage,
  checkUnit,
  durationOf,
  integerArgument,
} from './arguments.js'
import { DerivativeTransform, DifferenceTransform, ElapsedTransform } from './differences.js'
import { allTypes, numberTypes, type TransformSpec } from './function-spec.js'
import { HoltWintersTransform } from './holt-winters.js'
import { IntegralTransform } from './integral.js'
import { CumulativeSumTransform, MovingAverageTransform } from './running-sums.js'

type NumberType = 'float' | 'integer' | 'unsigned'

export const transform = {
  kind: 'transform',
  work: 'transform',
  argumentCounts: [1, 1],
  takes: numberTypes as readonly FieldType[],
  input: 'any',
  windowsBefore: 'read',
} as const

export const transforms = {
  derivative: derivative(false),
  non_negative_derivative: derivative(true),
  difference: difference(false),
  non_negative_difference: difference(true),
  elapsed: {
    ...transform,
    argumentCounts: [1, 2],
    checkArguments: checkUnit,
    takes: allTypes,
    gives: 'integer',
    make: ({ args }) => new ElapsedTransform(durationOf(args[0]) ?? 1n),
  },
  cumulative_sum: {
    ...transform,
    gives: 'same',
    windowsBefore: 'readable',
    make: ({ inputType }) => new CumulativeSumTransform(inputType as NumberType),
  },
  moving_average: {
    ...transform,
    argumentCounts: [2, 2],
    checkArguments: checkMovingAverage,
    gives: 'float',
    make: ({ args, inputType }) =>
      new MovingAverageTransform(integerArgument(args[0]), inputType as NumberType),
  },
  integral: {
    kind: 'aggregate',
    work: 'transform',
    argumentCounts: [1, 2],
    checkArguments: checkIntegralUnit,
    takes: numberTypes,
    gives: 'float',
    input: 'field',
    windowsBefore: 'none',
    make: ({ args, inputType, descending, windows }) =>
      new IntegralTransform({
        inputType,
        unitNs: durationOf(args[0]) ?? nsPerSecond,
        descending,
        hasWindows: windows.isSplit,
        windowOf: (time) => windows.windowOf(time),
      }),
  },
  holt_winters: holtWinters(false),
  holt_winters_with_fit: holtWinters(true),
} satisfies Record<string, TransformSpec>

function derivative(isNonNegative: boolean): TransformSpec {
  return {
    ...transform,
    argumentCounts: [1, 2],
    checkArguments: checkUnit,
    gives: 'float',
    nameInErrors: 'derivative',
    make: ({ args, inputType, descending, intervalNs }) =>
      new DerivativeTransform({
        unitNs: durationOf(args[0]) ?? (intervalNs || nsPerSecond),
        isNonNegative,
        isUnsigned: inputType === 'unsigned',
        descending,
      }),
  }
}

function difference(isNonNegative: boolean): TransformSpec {
  return {
    ...transform,
    gives: 'same',
    nameInErrors: 'difference',
    make: ({ inputType }) => new DifferenceTransform(inputType as NumberType, isNonNegative),
  }
}

function holtWinters(withFit: boolean): TransformSpec {
  return {
    ...transform,
    argumentCounts: [3, 3],
    checkArguments: checkHoltWinters,
    takes: ['float', 'integer'],
    gives: 'float',
    input: 'aggregate',
    windowsBefore: 'none',
    takesLong: true,
    // As InfluxDB has it.
    nameInErrors: 'elapsed',
    make: ({ args, intervalNs }) =>
      new HoltWintersTransform({
        n: integerArgument(args[0]),
        season: integerArgument(args[1]),
        intervalNs,
        withFit,
      }),
  }
}
