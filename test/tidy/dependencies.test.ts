// Packages are refused outside their owner's folder, and the table must match package.json.

import { expect, it } from 'vitest'
import { checkDependencyOwners, checkOwnersComplete } from './dependencies.js'
import { source } from './source.js'

const table = { fastify: ['http'], pino: ['http', 'cli'] }

it('lets owners and tests import a package', () => {
  const files = [
    source(
      'src/http/app.ts',
      "import { fastify } from 'fastify'\nimport 'node:fs'\nimport './x.js'",
    ),
    source('src/cli/serve.ts', "import { pino } from 'pino/file'"),
    source('src/store/store.test.ts', "import { it } from 'vitest'"),
  ]
  expect(checkDependencyOwners(files, table)).toEqual([])
})

it('refuses everybody else, and packages without an owner', () => {
  const files = [
    source('src/index.ts', "import { fastify } from 'fastify'"),
    source('src/store/store.ts', "\nimport { pino } from 'pino'\nimport x from 'lodash'"),
  ]
  expect(checkDependencyOwners(files, table)).toEqual([
    'src/index.ts:1: package fastify may be imported only in http',
    'src/store/store.ts:2: package pino may be imported only in http and cli',
    'src/store/store.ts:3: package lodash has no owner',
  ])
})

it('compares the table with package.json', () => {
  const bundled = { devDependencies: { pino: '10', vitest: '4' } }
  expect(checkOwnersComplete({ dependencies: { fastify: '5' }, ...bundled }, table)).toEqual([])
  const wrong = { dependencies: { fastify: '5' }, optionalDependencies: { lodash: '4' } }
  expect(checkOwnersComplete(wrong, table)).toEqual([
    'package.json: dependency lodash has no owner in the table',
    'package.json: pino has an owner but is no dependency',
  ])
})
