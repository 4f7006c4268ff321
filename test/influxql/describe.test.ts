// The columns that a query tells before it runs are those that its rows have: held against every query of the
// corpus. Telling them reads no points.

import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, expect, test, vi } from 'vitest'
import { influxql } from '../../src/influxql/influxql.js'
import type { InfluxqlScope } from '../../src/influxql/scope/scope.js'
import { streamOf } from '../../src/platform/pull-stream.js'
import type { Prepared, ResultBatch, ResultPiece } from '../../src/query/language.js'
import { shapeOf } from '../../src/result/arrow-shape.js'
import { dataDrivenFiles, runDataDriven } from '../datadriven.js'
import { EngineWorld, engineStates } from '../store/engine-states.js'
import { runQueryCommand } from './query-commands.js'

const files = dataDrivenFiles(fileURLToPath(new URL('../corpus/influxql/query', import.meta.url)))
const { prepare } = influxql
const signal = new AbortController().signal
const counts = { batches: 0, failures: 0, empty: 0 }

afterEach(() => {
  vi.restoreAllMocks()
})

type Told = { readonly columns: ResultBatch | undefined } | { readonly error: Error }

async function told(query: Prepared<InfluxqlScope>, scope: InfluxqlScope): Promise<Told> {
  const read = vi.spyOn(scope.store, 'read')
  try {
    return { columns: await query.describe?.(scope, signal) }
  } catch (error) {
    return { error: error as Error }
  } finally {
    expect(read).not.toHaveBeenCalled()
    read.mockRestore()
  }
}

async function* compared(
  text: string,
  query: Prepared<InfluxqlScope>,
  scope: InfluxqlScope,
): AsyncGenerator<ResultPiece> {
  const expected = await told(query, scope)
  let batches = 0
  for await (const piece of query.run(scope, signal)) {
    yield piece
    if (piece.kind === 'failure' && 'error' in expected) {
      expect([text, expected.error.message]).toEqual([text, piece.error.message])
      counts.failures++
    }
    if (piece.kind !== 'batch') continue
    batches++
    if ('error' in expected) throw new Error(`${text}: ${expected.error.message}`)
    if (expected.columns === undefined) continue
    expect(expected.columns.rowCount).toBe(0)
    const [before, after] = [expected.columns, piece].map((batch) => shapeOf(batch, 'groups'))
    expect([text, before]).toEqual([text, after])
    counts.batches++
  }
  if (batches === 0 && 'columns' in expected && expected.columns !== undefined) counts.empty++
}

test.each(files.map((path) => [path.replace(/^.*\//, ''), path]))('%s', async (_, path) => {
  vi.stubEnv('MILLRACE_REWRITE', '')
  vi.spyOn(influxql, 'prepare').mockImplementation((text, parameters) => {
    const query = prepare(text, parameters)
    return { isCacheable: false, run: (scope) => streamOf(compared(text, query, scope)) }
  })
  const [state] = engineStates
  const world = await EngineWorld.openState(state)
  try {
    await runDataDriven(path, (c) => runQueryCommand(world, state, c))
  } finally {
    await world.close()
  }
})

afterAll(() => {
  expect(counts.batches).toBeGreaterThan(1000)
  expect(counts.failures).toBeGreaterThan(100)
  expect(counts.empty).toBeGreaterThan(20)
})
