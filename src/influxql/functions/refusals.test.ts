// Texts of refusals, word for word those of InfluxDB 1.6.7 for fields, subqueries and nested
// calls.

import { expect, it } from 'vitest'
import { typeRefusal } from './refusals.js'

it.each<[string, 'string' | 'boolean' | 'unsigned', string]>([
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
  expect(typeRefusal(name, type)).toBe(text)
})

it('names what stands inside', () => {
  expect(typeRefusal('derivative', 'string', { inner: 'distinct' })).toBe(
    'unsupported derivative iterator type: *query.stringIntervalIterator',
  )
  expect(typeRefusal('holt_winters', 'boolean', { inner: 'sample' })).toBe(
    'unsupported elapsed iterator type: *query.booleanReduceBooleanIterator',
  )
  expect(typeRefusal('derivative', 'boolean', { inner: 'mode' })).toBe(
    'unsupported derivative iterator type: *query.booleanInterruptIterator',
  )
})

it('top and bottom with tags ask max and min first', () => {
  expect(typeRefusal('top', 'string', { hasTags: true })).toBe(
    'unsupported max iterator type: *query.stringInterruptIterator',
  )
  expect(typeRefusal('bottom', 'string', { hasTags: true })).toBe(
    'unsupported min iterator type: *query.stringInterruptIterator',
  )
  expect(typeRefusal('top', 'boolean', { hasTags: true })).toBe(
    'unsupported top iterator type: *query.booleanReduceBooleanIterator',
  )
})

it('nothing is refused that is taken', () => {
  expect(typeRefusal('count', 'string')).toBeUndefined()
  expect(typeRefusal('elapsed', 'boolean')).toBeUndefined()
  expect(typeRefusal('max', 'boolean')).toBeUndefined()
  expect(typeRefusal('holt_winters', 'integer')).toBeUndefined()
})
