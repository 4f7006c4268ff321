// Functions that choose points of each window: one, or several. Chosen points keep their time where a query has
// no windows, and what else is in their rows may stand beside them.

import {
  checkPercentile,
  checkSample,
  checkTopBottom,
  integerArgument,
  numberArgument,
} from './arguments.js'
import { ExtremeReducer } from './extremes.js'
import { EndReducer } from './first-last.js'
import { allTypes, numberTypes, type ReducerSpec } from './function-spec.js'
import { PercentileReducer } from './percentile.js'
import { SampleReducer } from './sample.js'
import { TopBottomReducer } from './top-bottom.js'

const selector = { kind: 'selector', work: 'reduce', gives: 'same' } as const

export const selectors = {
  min: extreme('min'),
  max: extreme('max'),
  first: end('first'),
  last: end('last'),
  percentile: {
    ...selector,
    argumentCounts: [2, 2],
    checkArguments: checkPercentile,
    takes: numberTypes,
    make: ({ args, inputType, companionTypes }) =>
      new PercentileReducer(numberArgument(args[0]), inputType, companionTypes),
  },
  sample: {
    ...selector,
    argumentCounts: [2, 2],
    checkArguments: checkSample,
    takes: allTypes,
    givesSeveral: true,
    iterator: 'Reduce',
    make: ({ args, random }) => new SampleReducer(integerArgument(args[0]), random),
  },
  top: best('max'),
  bottom: best('min'),
} satisfies Record<string, ReducerSpec>

function extreme(name: 'min' | 'max'): ReducerSpec {
  return {
    ...selector,
    argumentCounts: [1, 1],
    takes: [...numberTypes, 'boolean'],
    inStore: { parts: [name] },
    make: ({ inputType }) => new ExtremeReducer(name === 'max', inputType),
  }
}

function end(name: 'first' | 'last'): ReducerSpec {
  return {
    ...selector,
    argumentCounts: [1, 1],
    takes: allTypes,
    inStore: { parts: [name] },
    make: ({ inputType, descending }) => new EndReducer(name === 'last', inputType, descending),
  }
}

function best(bestOfTags: 'max' | 'min'): ReducerSpec {
  return {
    ...selector,
    argumentCounts: [2, Number.POSITIVE_INFINITY],
    checkArguments: checkTopBottom,
    takes: numberTypes,
    givesSeveral: true,
    bestOfTags,
    make: ({ args, tagCompanions }) => {
      const n = integerArgument(args[args.length - 1])
      return new TopBottomReducer({ isTop: bestOfTags === 'max', n, tagCompanions })
    },
  }
}
