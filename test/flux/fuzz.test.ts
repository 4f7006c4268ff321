// Random scripts from the text to the last row, over a small store: each ends with results or with a
// UserError, never with a fault of our own, and soon. The seed is fixed and printed with a failure;
// FUZZ_SEED and FUZZ_RUNS try others and more.

import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { UserError } from '../../src/errors.js'
import type { EngineWorld } from '../store/engine-states.js'
import { mutated, soup, wellFormed } from './fuzz-scripts.js'
import { flux, storeWith, testScope } from './run-flux.js'

const seed = Number(process.env.FUZZ_SEED ?? 20261115)
const numRuns = Number(process.env.FUZZ_RUNS ?? 300)
/** Machines may be busy; what hangs hangs for longer than this. */
const scriptMsMax = 30_000

let world: EngineWorld

beforeAll(async () => {
  world = await storeWith(`m,t=a f=1.5,i=1i,u=2u,s="x",b=true 1
m,t=a f=-2.5,i=9223372036854775807i,s="y",b=false 60000000000
m,t=b f=3,i=-9223372036854775808i,u=18446744073709551615u 120000000000
m,t=c\\ d f=4,constructor=1,__proto__=2 300000000000
n,__proto__=a,toString=y f=7i,g="z" 60000000000`)
})

afterAll(() => world.close())

afterEach(() => {
  expect(Object.keys(Object.prototype)).toEqual([])
})

/** Nobody reads on forever. */
const rowsMax = 50_000

/** true: it ended well, as far as it was read. */
async function ends(script: string): Promise<boolean> {
  const signal = AbortSignal.timeout(scriptMsMax)
  const scope = testScope({
    store: world.engine,
    limits: { stepsMax: 100_000, memoryBytesMax: 20_000_000 },
    scope: { write: async () => undefined },
  })
  let rows = 0
  try {
    for await (const piece of flux.prepare(script).run(scope, signal)) {
      rows += piece.kind === 'rows' ? piece.rowCount : 1
      if (rows > rowsMax) break
    }
    return true
  } catch (error) {
    if (signal.aborted) throw new Error(`still running after ${scriptMsMax} ms, ${rows} rows`)
    if (error instanceof UserError) return false
    throw error
  }
}

test('scripts that could be meant', async () => {
  let answered = 0
  const property = fc.asyncProperty(wellFormed, async (script) => {
    if (await ends(script)) answered++
  })
  await fc.assert(property, { seed, numRuns, endOnFailure: true })
  // What is refused says little of what runs.
  expect(answered).toBeGreaterThan(numRuns / 5)
}, 600_000)

test('the same with words changed', async () => {
  const property = fc.asyncProperty(mutated, async (script) => {
    await ends(script)
  })
  await fc.assert(property, { seed, numRuns, endOnFailure: true })
}, 600_000)

test('soups of words', async () => {
  const property = fc.asyncProperty(soup, async (script) => {
    await ends(script)
  })
  await fc.assert(property, { seed, numRuns, endOnFailure: true })
}, 600_000)
