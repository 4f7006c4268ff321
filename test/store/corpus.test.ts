// One corpus, many states: every file of corpus/store runs with its data in the memtable, flushed,
// merged, after a restart, after a crash and in mixtures of these, and must give the same answers
// in each.

import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { dataDrivenFiles, runDataDriven } from '../datadriven.js'
import { EngineWorld, engineStates } from './engine-states.js'
import { runStoreCommand } from './store-commands.js'

const files = dataDrivenFiles(fileURLToPath(new URL('../corpus/store', import.meta.url)))

afterEach(() => {
  vi.unstubAllEnvs()
})

test('there is a corpus', () => {
  expect(files.length).toBeGreaterThan(30)
})

describe.each(engineStates)('$name', (state) => {
  test.each(files.map((path) => [path.replace(/^.*\//, ''), path]))('%s', async (_, path) => {
    // Only one state writes the expected outputs anew; the others are held against it at once.
    if (state !== engineStates[0]) vi.stubEnv('MILLRACE_REWRITE', '')
    const world = await EngineWorld.openState(state)
    try {
      await runDataDriven(path, (c) => runStoreCommand(world, state, c))
    } finally {
      await world.close()
    }
  })
})
