// Random statements over random points, some of them deleted again: answered by the store alone where that can be, with
// what an engine is told to leave out, and by an engine that is given every row. `MILLRACE_SEED=7 MILLRACE_ROUNDS=50
// npx vitest run test/sql/random-statements.test.ts` goes where nobody was.

import { test } from 'vitest'
import { seededRandom } from '../../src/platform/random.js'
import type { SqlScope } from '../../src/sql/plan/scope.js'
import { isSameCell } from '../influxql/compared-tables.js'
import { writeText } from '../influxql/query-commands.js'
import { RandomData } from '../influxql/random-data.js'
import { RandomRounds } from '../random-rounds.js'
import { EngineWorld, languageStates } from '../store/engine-states.js'
import { RandomStatements } from './random-statements.js'
import { now, outcome, testBucket, testScope } from './run-sql.js'

const rounds = new RandomRounds(1)
const writesPerRound = 12
const statementsPerRound = 60

test('random statements give the same, whoever answers them', {
  timeout: rounds.timeout,
}, async () => {
  await rounds.findNothing(round)
})

async function round(seed: number): Promise<string[]> {
  const random = seededRandom(seed)
  const data = new RandomData(random)
  const statements = new RandomStatements(random)
  const state = random.pick(languageStates)
  const world = await EngineWorld.openState(state, seed)
  const wrong: string[] = []
  try {
    world.clock.set(now)
    await writeText(world, testBucket, data.wholeRows(), 's')
    for (let write = 0; write < writesPerRound; write++) {
      await writeText(world, testBucket, data.lines(), 's')
      if (random.below(4) === 0) {
        await world.engine.delete({ bucket: testBucket, ...data.part() })
      }
      await state.afterChange?.(world)
    }
    for (let count = 0; count < statementsPerRound; count++) {
      const text = statements.next()
      const answerOf = (switches: Partial<SqlScope>) =>
        outcome(text, testScope({ store: world.engine, ...switches }))
      const expected = await answerOf({ answersDirectly: false, pushesAggregates: false })
      for (const switches of [{}, { answersDirectly: false }]) {
        const answer = await answerOf(switches)
        if (isSame(answer, expected)) continue
        const how = `seed ${seed}, ${state.name}, ${JSON.stringify(switches)}`
        wrong.push(`${how}: ${text}\n${answer.join('\n')}\n--- expected\n${expected.join('\n')}`)
      }
    }
  } finally {
    await world.close()
  }
  return wrong
}

/** Sums of floats may be added up in another order. */
function isSame(answer: readonly string[], expected: readonly string[]): boolean {
  return (
    answer.length === expected.length && answer.every((line, i) => isSameLine(line, expected[i]))
  )
}

function isSameLine(a: string, b: string): boolean {
  if (a === b) return true
  const [own, others] = [a, b].map((line) => line.split(' | '))
  return own.length === others.length && own.every((cell, i) => isSameCell(cell, others[i]))
}
