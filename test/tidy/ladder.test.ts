// Which imports the ladder allows and which it refuses, rung by rung.

import { expect, it } from 'vitest'
import { checkLadder } from './ladder.js'
import { source } from './source.js'

const findings = (path: string, target: string) =>
  checkLadder([source(path, `import { x } from '${target}'`)])

it.each([
  ['src/store/embedded/engine.ts', '../../platform/disk.js'],
  ['src/store/embedded/engine.ts', '../store.js'],
  ['src/query/plan.ts', '../store/store.js'],
  ['src/http/app.ts', '../errors.js'],
  ['src/http/app.ts', '../catalog/buckets.js'],
  ['src/line-protocol/parser.ts', '../column/column.js'],
  ['src/line-protocol/parser.ts', '../errors.js'],
  ['src/line-protocol/parser.test.ts', '../platform/random.js'],
  ['src/column/time.test.ts', '../platform/random.js'],
  ['src/service/service.ts', '../influxql/scope/scope.js'],
  ['src/http/app.ts', '../service/service.js'],
  ['src/tasks/schedule.ts', '../influxql/syntax/ast.js'],
  ['src/main.ts', './cli/serve.js'],
  ['src/main.ts', './index.js'],
  ['src/cli/serve.ts', '../index.js'],
  ['src/index.ts', './http/app.js'],
  ['src/http/app.ts', 'fastify'],
  ['src/store/corpus.test.ts', '../../test/datadriven.js'],
])('%s may import %s', (path, target) => {
  expect(findings(path, target)).toEqual([])
})

it.each([
  ['src/store/store.ts', '../catalog/buckets.js', 'store imports catalog, its sibling'],
  ['src/access/tokens.ts', '../catalog/tokens.js', 'access imports catalog, its sibling'],
  ['src/influxql/planner.ts', '../flux/ast.js', 'influxql imports flux, its sibling'],
  ['src/platform/disk.ts', '../column/time.js', 'platform imports column, its sibling'],
  ['src/column/time.ts', '../config.js', 'column imports config.ts, its sibling'],
  ['src/query/plan.ts', '../http/app.js', 'query imports http, which is above it'],
  ['src/tasks/schedule.ts', '../http/app.js', 'tasks imports http, its sibling'],
  ['src/service/service.ts', '../http/app.js', 'service imports http, which is above it'],
  ['src/http/app.ts', '../flux/ast.js', 'http imports flux, which only the service knows'],
  ['src/flight/calls.ts', '../sql/sql.js', 'flight imports sql, which only the service knows'],
  ['src/errors.ts', './config.js', 'errors.ts imports config.ts, which is above it'],
  ['src/http/app.ts', '../index.js', 'http imports index.ts, which is above it'],
  ['src/index.ts', './cli/serve.js', 'index.ts imports cli, its sibling'],
  ['src/cli/serve.ts', '../main.js', 'cli imports main.ts, its sibling'],
  [
    'src/line-protocol/parser.ts',
    '../platform/clock.js',
    'line-protocol imports platform, but may see only column and errors.ts',
  ],
  ['src/store/store.ts', '../attic/x.js', 'imports attic, which stands on no rung of the ladder'],
  ['src/store/store.ts', '../../test/datadriven.js', 'imports a file outside src'],
  ['src/attic/x.ts', '../errors.js', 'attic stands on no rung of the ladder'],
])('%s may not import %s', (path, target, reason) => {
  expect(findings(path, target)).toEqual([`${path}:1: ${reason}`])
})
