// Circles of folders and of files: what is found, and of files what may be known as long as it is there.

import { describe, expect, it } from 'vitest'
import { checkFileCircles, checkFolderCircles } from './circles.js'
import { source } from './source.js'

const circle = [
  source('src/a/one.ts', "import './two.js'\nimport '../b/low.js'"),
  source('src/a/two.ts', ''),
  source('src/b/low.ts', "import type { C } from '../c/lower.js'"),
  source('src/c/lower.ts', "import type { Two } from '../a/two.js'"),
]

describe('circles of folders', () => {
  it('are found through types and several folders', () => {
    expect(checkFolderCircles(circle)).toEqual([
      'src/a → src/b → src/c → src/a: a circle of folders',
    ])
  })

  it('begin in a folder and end in its sub-folder, but not in files directly in src', () => {
    const nested = [
      source('src/main.ts', "import './a/one.js'"),
      source('src/errors.ts', ''),
      source('src/a/one.ts', "import './inner/two.js'\nimport '../errors.js'"),
      source('src/a/inner/two.ts', "import '../three.js'"),
      source('src/a/three.ts', ''),
    ]
    expect(checkFolderCircles(nested)).toEqual(['src/a → src/a/inner → src/a: a circle of folders'])
  })

  it('are none where only a test closes them', () => {
    const tested = source('src/c/lower.test.ts', "import '../a/two.js'")
    expect(checkFolderCircles([...circle.slice(0, 3), tested])).toEqual([])
  })
})

describe('circles of files', () => {
  const grammar = [
    source('src/a/expressions.ts', "import './calls.js'"),
    source('src/a/calls.ts', "import './expressions.js'"),
  ]
  const known = { folder: 'src/a', files: ['calls', 'expressions'], reason: 'grammar' }

  it('are named by their files', () => {
    expect(checkFileCircles(grammar, [])).toEqual([
      'src/a/calls.ts src/a/expressions.ts: a circle of files',
    ])
  })

  it('may be known, as long as they are there', () => {
    expect(checkFileCircles(grammar, [known])).toEqual([])
    expect(checkFileCircles(grammar.slice(0, 1), [known])).toEqual([
      'src/a/calls.ts src/a/expressions.ts: no circle any more, need not be known',
    ])
  })
})
