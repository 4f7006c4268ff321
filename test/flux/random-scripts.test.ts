// Random scripts over random points, some of them deleted again: as the planner has them carried out, in every state in
// which data can lie, and with its rules off. `MILLRACE_SEED=7 MILLRACE_ROUNDS=50 npx vitest run
// test/flux/random-scripts.test.ts` goes where nobody was.

import { test } from 'vitest'
import { seededRandom } from '../../src/platform/random.js'
import { writeText } from '../influxql/query-commands.js'
import { RandomData } from '../influxql/random-data.js'
import { RandomRounds } from '../random-rounds.js'
import { EngineWorld, languageStates } from '../store/engine-states.js'
import { outcome, turnedOff } from './planned-scripts.js'
import { RandomScripts } from './random-scripts.js'
import { testBucket } from './run-flux.js'

const rounds = new RandomRounds(1)
const writesPerRound = 12
const scriptsPerRound = 60

test('random scripts give what their nodes give one after the other', {
  timeout: rounds.timeout,
}, async () => {
  await rounds.findNothing(round)
})

async function round(seed: number): Promise<string[]> {
  const random = seededRandom(seed)
  const data = new RandomData(random)
  const scripts = new RandomScripts(random)
  const worlds = await Promise.all(
    languageStates.map(async (state) => ({ state, world: await EngineWorld.openState(state) })),
  )
  const wrong: string[] = []
  try {
    for (let write = 0; write < writesPerRound; write++) {
      const lines = data.lines()
      const deleted = random.below(4) === 0 ? data.part() : undefined
      for (const { state, world } of worlds) {
        await writeText(world, testBucket, lines, 's')
        if (deleted !== undefined) await world.engine.delete({ bucket: testBucket, ...deleted })
        await state.afterChange?.(world)
      }
    }
    for (let count = 0; count < scriptsPerRound; count++) {
      const text = scripts.next()
      const expected = await outcome(turnedOff + text, worlds[0].world)
      for (const { state, world } of worlds) {
        const answer = await outcome(text, world)
        if (answer === expected) continue
        wrong.push(`seed ${seed}, ${state.name}: ${text}\n${answer}\n--- expected\n${expected}`)
        break
      }
    }
  } finally {
    for (const { world } of worlds) await world.close()
  }
  return wrong
}
