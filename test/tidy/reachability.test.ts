// A file counts as used when a chain of imports leads to it from an entry, a test, a benchmark or a worker's URL.

import { expect, it } from 'vitest'
import { checkReachability } from './reachability.js'
import { source } from './source.js'

it('finds the file that nobody imports', () => {
  const files = [
    source('src/main.ts', "import './a/one.js'"),
    source('src/a/one.ts', "new Worker(new URL('./worker.js', import.meta.url))"),
    source('src/a/worker.ts', "export * from './two.js'"),
    source('src/a/two.ts', "import text from './used.flux'"),
    source('src/a/used.flux', 'package used'),
    source('src/a/unused.flux', 'package unused'),
    source('src/a/ambient.d.ts', ''),
    source('src/a/tested.test.ts', "import './tested.js'"),
    source('src/a/tested.ts', ''),
    source('src/a/x-contract.ts', ''),
    source('src/a/measured.ts', ''),
    source('src/a/dead.ts', "import './two.js'\nimport './deader.js'"),
    source('src/a/deader.ts', "import './dead.js'"),
    source('bench/run.mjs', "import '../dist/a/measured.js'"),
  ]
  expect(checkReachability(files)).toEqual([
    'src/a/unused.flux:1: is imported by nobody',
    'src/a/x-contract.ts:1: is imported by nobody',
    'src/a/dead.ts:1: is imported by nobody',
    'src/a/deader.ts:1: is imported by nobody',
  ])
})
