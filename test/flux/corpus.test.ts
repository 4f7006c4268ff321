// The corpus of scripts: what the files of corpus/flux expect is what the documentation of Flux and its own suite say,
// or worked out by hand. Files that write data run in each state that data can lie in, and once with the rules of the
// planner turned off: the answers are the same.

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { parseFlux } from '../../src/flux/syntax/parser.js'
import { dataDrivenFiles, runDataDriven } from '../datadriven.js'
import { type EngineState, EngineWorld, languageStates } from '../store/engine-states.js'
import { FluxCorpus } from './flux-commands.js'
import { turnedOff } from './planned-scripts.js'

const folder = fileURLToPath(new URL('../corpus/flux', import.meta.url))
const files = dataDrivenFiles(folder).map((path) => [path.slice(folder.length + 1), path] as const)
const stored = files.filter(([, path]) => /^write$/m.test(readFileSync(path, 'utf8')))

afterEach(() => {
  vi.unstubAllEnvs()
})

async function runFile(path: string, state: EngineState, extern?: string): Promise<void> {
  const world = await EngineWorld.openState(state)
  const corpus = new FluxCorpus(world, state, extern === undefined ? undefined : parseFlux(extern))
  try {
    await runDataDriven(path, (c) => corpus.run(c))
  } finally {
    await world.close()
  }
}

test('there is a corpus', () => {
  expect(files.length).toBeGreaterThan(15)
  expect(stored.length).toBeGreaterThan(2)
})

const [first, ...others] = languageStates

test.each(files)('%s', (_, path) => runFile(path, first))

// Only the runs above write the expected outputs anew; the others are held against them.
describe.each(others)('$name', (state) => {
  test.each(stored)('%s', async (_, path) => {
    vi.stubEnv('MILLRACE_REWRITE', '')
    await runFile(path, state)
  })
})

describe('rules off', () => {
  test.each(stored)('%s', async (_, path) => {
    vi.stubEnv('MILLRACE_REWRITE', '')
    await runFile(path, first, turnedOff)
  })
})
