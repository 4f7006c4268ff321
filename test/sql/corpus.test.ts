// The corpus of SQL: every file of corpus/sql runs with its data in several states of the store, and with
// optimisations off, and must give the same answers each time. Columns that are told before a statement runs are
// those that it gives.

import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { type DataDrivenCase, dataDrivenFiles, runDataDriven } from '../datadriven.js'
import { type EngineState, EngineWorld, languageStates } from '../store/engine-states.js'
import { columnsOf, type Look, runSqlCommand, type Switches } from './sql-commands.js'

const folder = fileURLToPath(new URL('../corpus/sql', import.meta.url))
const files = dataDrivenFiles(folder).map((path) => [path.replace(/^.*\//, ''), path] as const)
const [memtable] = languageStates

afterEach(() => {
  vi.unstubAllEnvs()
})

test('there is a corpus', () => {
  expect(files.length).toBeGreaterThan(12)
})

async function runFile(
  path: string,
  state: EngineState,
  run: (world: EngineWorld, c: DataDrivenCase) => Promise<string>,
): Promise<void> {
  const world = await EngineWorld.openState(state)
  try {
    await runDataDriven(path, (c) => run(world, c))
  } finally {
    await world.close()
  }
}

const expectToldColumns: Look = async (c, scope, batch) => {
  const [told, given] = await columnsOf(c, scope, batch)
  expect(told, c.input).toEqual(given)
}

describe.each(languageStates)('$name', (state) => {
  test.each(files)('%s', async (_, path) => {
    // Only one state writes the expected outputs anew; the others are held against it.
    if (state !== memtable) vi.stubEnv('MILLRACE_REWRITE', '')
    // What columns there are is asked in one of them too: it is the same wherever the data lies.
    const look = state === memtable ? expectToldColumns : undefined
    await runFile(path, state, (world, c) => runSqlCommand(world, state, c, {}, look))
  })
})

const switches: Switches[] = [
  { answersDirectly: false },
  { answersDirectly: false, pushesAggregates: false },
  { answersDirectly: false, streamsTables: false },
]

describe.each(switches)('%o', (off) => {
  test.each(files)('%s', async (_, path) => {
    vi.stubEnv('MILLRACE_REWRITE', '')
    await runFile(path, memtable, (world, c) => runSqlCommand(world, memtable, c, off))
  })
})
