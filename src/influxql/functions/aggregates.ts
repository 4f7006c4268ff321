// Functions that bring each window down to a value without a time of its own, or to several. `integral` lies with
// the transforms, because it looks across the borders of windows.

import type { FieldType } from '../../column/column.js'
import { DistinctReducer } from './distinct.js'
import { SpreadReducer } from './extremes.js'
import { allTypes, numberTypes, type ReducerSpec } from './function-spec.js'
import { MedianReducer, StddevReducer } from './median.js'
import { BooleanModeReducer, NumberModeReducer, StringModeReducer } from './mode.js'
import type { Reducer } from './points.js'
import { CountReducer, FloatSumReducer, IntegerSumReducer } from './sums.js'

const aggregate = { kind: 'aggregate', work: 'reduce', argumentCounts: [1, 1] } as const
const count = { ...aggregate, takes: allTypes, gives: 'integer', emptyValue: 0 } as const
const ofNumbers = { ...aggregate, takes: numberTypes } as const

export const aggregates = {
  count: {
    ...count,
    inStore: { parts: ['count'] },
    ofDistinct: { ...count, make: ({ inputType }) => new DistinctReducer(inputType, true) },
    make: () => new CountReducer(),
  },
  distinct: {
    ...aggregate,
    takes: allTypes,
    gives: 'same',
    givesSeveral: true,
    iterator: 'Interval',
    make: ({ inputType }) => new DistinctReducer(inputType, false),
  },
  sum: {
    ...ofNumbers,
    gives: 'same',
    inStore: { parts: ['sum'] },
    make: ({ inputType }) => makeSum(false, inputType),
  },
  mean: {
    ...ofNumbers,
    gives: 'float',
    inStore: { parts: ['sum', 'count'], join: 'quotient' },
    make: ({ inputType }) => makeSum(true, inputType),
  },
  spread: {
    ...ofNumbers,
    gives: 'same',
    inStore: { parts: ['max', 'min'], join: 'difference' },
    make: ({ inputType }) => new SpreadReducer(inputType),
  },
  stddev: { ...ofNumbers, gives: 'float', make: () => new StddevReducer() },
  median: { ...ofNumbers, gives: 'float', make: ({ inputType }) => new MedianReducer(inputType) },
  mode: {
    ...aggregate,
    takes: allTypes,
    gives: 'same',
    make: ({ inputType }) => makeMode(inputType),
  },
} satisfies Record<string, ReducerSpec>

function makeSum(isMean: boolean, inputType: FieldType): Reducer {
  if (inputType === 'float') return new FloatSumReducer(isMean)
  return new IntegerSumReducer(isMean, inputType === 'integer')
}

function makeMode(inputType: FieldType): Reducer {
  if (inputType === 'boolean') return new BooleanModeReducer()
  return inputType === 'string' ? new StringModeReducer() : new NumberModeReducer(inputType)
}
