// The map must be there and name every folder of src by its own name, not as part of another.

import { expect, it } from 'vitest'
import { checkArchitecture } from './architecture.js'
import { source } from './source.js'

const files = ['src/main.ts', 'src/sql/x.ts', 'src/store/embedded/x.ts'].map((path) =>
  source(path, ''),
)

it('accepts a map with every folder', () => {
  expect(checkArchitecture(files, 'In `src/sql/` and\nstore/: ...')).toEqual([])
})

it('says which folder is missing, or that the map is', () => {
  expect(checkArchitecture(files, 'mysql/ and store/')).toEqual([
    'ARCHITECTURE.md: does not name the folder sql/',
  ])
  expect(checkArchitecture(files, undefined)).toEqual([
    'ARCHITECTURE.md: is missing; it must name every folder of src',
  ])
})
