// The check of the UI's imports: what it accepts, and what it refuses.

import { expect, it } from 'vitest'
import { source } from './source.js'
import { checkUiLadder } from './ui-ladder.js'

const check = (path: string, text: string) => checkUiLadder([source(path, text)])

it('lets pages see what lies below them, and the program see nothing else of the UI', () => {
  expect(check('ui/src/data/x.tsx', "import { a } from '../parts/a.js'")).toEqual([])
  expect(check('ui/src/main.tsx', "const a = import('./data/a.js')")).toEqual([])
  expect(check('ui/src/query/x.ts', "import { a } from '../../../src/flux/syntax/a.js'")).toEqual(
    [],
  )
})

it('refuses pages that meet, parts that look up, and the rest of the program', () => {
  expect(check('ui/src/data/x.tsx', "import { a } from '../explore/a.js'")).toHaveLength(1)
  expect(check('ui/src/api/x.ts', "import type { A } from '../parts/a.js'")).toHaveLength(1)
  expect(check('ui/src/chart/x.tsx', "import { A } from '../shell/a.js'")).toHaveLength(1)
  expect(check('ui/src/data/x.tsx', "import { a } from '../../../src/store/a.js'")).toHaveLength(1)
})
