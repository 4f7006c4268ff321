// Texts of refusals, word for word those of InfluxDB 1.6.7 for fields, subqueries and nested
// calls.

import { expect, it } from 'vitest'
import type { FieldType } from '../../column/column.js'
import { type FunctionName, functions } from './functions.js'
import type { mathFunctions } from './math.js'
import { type RefusalContext, typeRefusal } from './refusals.js'

type FieldFunction = Exclude<FunctionName, keyof typeof mathFunctions>

function refusal(name: FieldFunction, type: FieldType, context?: RefusalContext) {
  return typeRefusal(name, functions[name], type, context)
}

it.each<[FieldFunction, 'string' | 'boolean' | 'unsigned', string]>([
  ['mean', 'string', 'unsupported mean iterator type: *query.stringInterruptIterator'],
  ['min', 'string', 'unsupported min iterator type: *query.stringInterruptIterator'],
  ['sum', 'boolean', 'unsupported sum iterator type: *query.booleanInterruptIterator'],
  [
    'percentile',
    'boolean',
    'unsupported percentile iterator type: *query.booleanInterruptIterator',
  ],
  ['top', 'string', 'unsupported top iterator type: *query.stringInterruptIterator'],
  ['integral', 'string', 'unsupported integral iterator type: *query.stringInterruptIterator'],
  [
    'non_negative_derivative',
    'string',
    'unsupported derivative iterator type: *query.stringInterruptIterator',
  ],
  [
    'non_negative_difference',
    'boolean',
    'unsupported difference iterator type: *query.booleanInterruptIterator',
  ],
  [
    'moving_average',
    'string',
    'unsupported moving average iterator type: *query.stringInterruptIterator',
  ],
  [
    'cumulative_sum',
    'string',
    'unsupported cumulative sum iterator type: *query.stringInterruptIterator',
  ],
  [
    'kaufmans_adaptive_moving_average',
    'string',
    'unsupported kaufmans adaptive moving average iterator type: *query.stringInterruptIterator',
  ],
  ['holt_winters', 'boolean', 'unsupported elapsed iterator type: *query.booleanInterruptIterator'],
  [
    'holt_winters',
    'unsigned',
    'unsupported elapsed iterator type: *query.unsignedInterruptIterator',
  ],
])('%s of %s', (name, type, text) => {
  expect(refusal(name, type)).toBe(text)
})

it('names what stands inside', () => {
  expect(refusal('derivative', 'string', { inner: 'distinct' })).toBe(
    'unsupported derivative iterator type: *query.stringIntervalIterator',
  )
  expect(refusal('holt_winters', 'boolean', { inner: 'sample' })).toBe(
    'unsupported elapsed iterator type: *query.booleanReduceBooleanIterator',
  )
  expect(refusal('derivative', 'boolean', { inner: 'mode' })).toBe(
    'unsupported derivative iterator type: *query.booleanInterruptIterator',
  )
})

it('top and bottom with tags ask max and min first', () => {
  expect(refusal('top', 'string', { hasTags: true })).toBe(
    'unsupported max iterator type: *query.stringInterruptIterator',
  )
  expect(refusal('bottom', 'string', { hasTags: true })).toBe(
    'unsupported min iterator type: *query.stringInterruptIterator',
  )
  expect(refusal('top', 'boolean', { hasTags: true })).toBe(
    'unsupported top iterator type: *query.booleanReduceBooleanIterator',
  )
})
