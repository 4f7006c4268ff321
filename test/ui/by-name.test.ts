// Lists are in the order of their names: capital letters beside small ones, and by the rules of languages where names
// have letters of one.

import { expect, it } from 'vitest'
import { sortedByName } from '../../ui/src/api/by-name.js'

const sorted = (...names: string[]) =>
  sortedByName(names.map((name) => ({ name }))).map(({ name }) => name)

it('sorts plain names without regard to capitals, equal ones as they came', () => {
  expect(sorted('rooms', 'Attic', 'cellar 2', 'cellar 1', 'attic', 'Zoo')).toEqual([
    ...['Attic', 'attic', 'cellar 1', 'cellar 2', 'rooms', 'Zoo'],
  ])
})

it('sorts letters of a language beside those that they belong to', () => {
  expect(sorted('zoo', 'éclair', 'eclipse', 'apple')).toEqual(['apple', 'éclair', 'eclipse', 'zoo'])
})
