// The corpus of queries: what the files of corpus/influxql/query expect is what InfluxDB 1.6.7 answers to the same
// queries on the same data, except where a comment says otherwise. Every file runs with its data in several states
// of the store, and must give the same answers in all of them.

import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { dataDrivenFiles, runDataDriven } from '../datadriven.js'
import { EngineWorld, languageStates } from '../store/engine-states.js'
import { runQueryCommand } from './query-commands.js'

const files = dataDrivenFiles(fileURLToPath(new URL('../corpus/influxql/query', import.meta.url)))

afterEach(() => {
  vi.unstubAllEnvs()
})

test('there is a corpus', () => {
  expect(files.length).toBeGreaterThan(40)
})

describe.each(languageStates)('$name', (state) => {
  test.each(files.map((path) => [path.replace(/^.*\//, ''), path]))('%s', async (_, path) => {
    // Only one state writes the expected outputs anew; the others are held against it at once.
    if (state !== languageStates[0]) vi.stubEnv('MILLRACE_REWRITE', '')
    const world = await EngineWorld.openState(state)
    try {
      await runDataDriven(path, (c) => runQueryCommand(world, state, c))
    } finally {
      await world.close()
    }
  })
})

describe('optimisations off', () => {
  const state = languageStates[0]
  const switches = { cachesPrepared: false, pushesCalls: false }
  const limits = { ...state.limits, preparedSeriesMax: 0, blockCacheBytesMax: 0 }
  test.each(files.map((path) => [path.replace(/^.*\//, ''), path]))('%s', async (_, path) => {
    vi.stubEnv('MILLRACE_REWRITE', '')
    const world = await EngineWorld.open(limits)
    try {
      // How a query is carried out is not the same then.
      await runDataDriven(path, (c) =>
        runQueryCommand(world, state, c, c.command === 'explain' ? {} : switches),
      )
    } finally {
      await world.close()
    }
  })
})
