// Places in a list of aggregates: one for each pair of a field and a function, in the order in which they were asked
// for, however many there are.

import { expect, it } from 'vitest'
import { AggregateList } from './aggregate-list.js'

it('an aggregate has one place, whatever its field is called', () => {
  const list = new AggregateList()
  const asked = [
    ['v', 'max'],
    ['v', 'min'],
    ['max v', 'min'],
    ['v', 'max'],
    ['', 'rows'],
    ['max v', 'min'],
  ] as const
  expect(asked.map(([field, name]) => list.placeOf(field, name))).toEqual([0, 1, 2, 0, 3, 2])
  expect(list.all).toEqual([
    { field: 'v', function: 'max' },
    { field: 'v', function: 'min' },
    { field: 'max v', function: 'min' },
    { field: '', function: 'rows' },
  ])
})
