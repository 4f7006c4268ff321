// Every function has a kind, the tables of types know the same functions, and each can be made for
// every type it takes.

import { expect, it } from 'vitest'
import type { FieldType } from '../../column/column.js'
import { seededRandom } from '../../platform/random.js'
import { functionKind } from './functions.js'
import { evaluateMathLiteral } from './math.js'
import { makeReducer, reducerType } from './reducers.js'
import { makeTransform, transformType } from './transforms.js'

const aggregates = 'count sum mean spread stddev median mode'.split(' ')
const selectors = 'min max first last percentile'.split(' ')
const multiSelectors = 'distinct sample top bottom'.split(' ')
const transforms = [
  'derivative non_negative_derivative difference non_negative_difference moving_average elapsed',
  'cumulative_sum holt_winters holt_winters_with_fit exponential_moving_average',
  'double_exponential_moving_average triple_exponential_moving_average relative_strength_index',
  'triple_exponential_derivative kaufmans_efficiency_ratio kaufmans_adaptive_moving_average',
  'chande_momentum_oscillator',
].flatMap((line) => line.split(' '))
const types: FieldType[] = ['float', 'integer', 'unsigned', 'boolean', 'string']

it('reducers can be made for every type they take', () => {
  for (const name of [...aggregates, ...selectors, ...multiSelectors, 'count_distinct']) {
    for (const inputType of types) {
      const call = { name, inputType, n: 3, companionTypes: [], descending: false }
      const make = () => makeReducer({ ...call, random: seededRandom(1) })
      if (reducerType(name, inputType) === undefined) expect(make).toThrow('BUG')
      else expect(make()).toBeDefined()
    }
  }
})

it('transforms can be made for every type they take', () => {
  for (const name of transforms) {
    expect(functionKind(name)).toBe('transform')
    for (const inputType of types) {
      const call = {
        name,
        inputType,
        n: 3,
        season: 0,
        unitNs: 1n,
        intervalNs: 1n,
        descending: false,
      }
      if (transformType(name, inputType) === undefined)
        expect(() => makeTransform(call)).toThrow('BUG')
      else expect(makeTransform(call)).toBeDefined()
    }
  }
})

it('kinds', () => {
  for (const name of [...aggregates, 'integral']) expect(functionKind(name)).toBe('aggregate')
  for (const name of selectors) expect(functionKind(name)).toBe('selector')
  for (const name of multiSelectors) expect(functionKind(name)).toBe('multi-selector')
  for (const name of ['abs', 'sin', 'sqrt', 'round', 'ln']) {
    expect(functionKind(name)).toBe('math')
    expect(evaluateMathLiteral(name, [1])).toBeDefined()
  }
  for (const name of ['pow', 'log', 'atan2']) {
    expect(functionKind(name)).toBe('math')
    expect(evaluateMathLiteral(name, [1, 2])).toBeDefined()
  }
  expect(functionKind('nosuch')).toBeUndefined()
  expect(functionKind('constructor')).toBeUndefined()
  expect(reducerType('constructor', 'float')).toBeUndefined()
})
