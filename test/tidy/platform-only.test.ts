// The system's disk, clock and randomness are found in code, not in words, and only where they are not allowed.

import { expect, it } from 'vitest'
import { checkPlatformOnly } from './platform-only.js'
import { source } from './source.js'

const reaching = `import { readFileSync } from 'node:fs'
const a = Date.now()
const b = Math.random()
const c = process.hrtime.bigint()
const d = new Date()
`

it('finds each of them', () => {
  expect(checkPlatformOnly([source('src/store/x.ts', reaching)])).toEqual([
    'src/store/x.ts:1: node:fs belongs in platform',
    'src/store/x.ts:2: Date.now belongs in platform',
    'src/store/x.ts:3: Math.random belongs in platform',
    'src/store/x.ts:4: process.hrtime belongs in platform',
    'src/store/x.ts:5: new Date() belongs in platform',
  ])
  const promises = source('src/http/x.ts', "import * as fs from 'node:fs/promises'")
  expect(checkPlatformOnly([promises])).toHaveLength(1)
})

it('lets platform, tests and words alone, and the command line read files', () => {
  const files = [
    source('src/platform/x.ts', reaching),
    source('src/store/x.test.ts', reaching),
    source('src/cli/x.ts', "import { readFileSync } from 'node:fs'"),
    source('src/store/y.ts', "// Date.now\nconst a = 'Math.random()'\nnew Date(5)\nclock.now()"),
  ]
  expect(checkPlatformOnly(files)).toEqual([])
})
