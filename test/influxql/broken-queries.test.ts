// Random queries with a word left out, doubled, moved or put in its place by another: a real InfluxDB 1.6 says the same
// of each, word by word and with the same place in the text. `MILLRACE_SEED=7 MILLRACE_ROUNDS=20 npx vitest run
// test/influxql/broken-queries.test.ts` goes where nobody was.

import { test } from 'vitest'
import { type Random, seededRandom } from '../../src/platform/random.js'
import { hasInfluxd, type Influxd, startInfluxd } from '../influxd.js'
import { RandomRounds } from '../random-rounds.js'
import { EngineWorld, engineStates } from '../store/engine-states.js'
import { isSameAnswer, tablesOfResults, tablesOfText } from './compared-tables.js'
import { corpusBucket } from './corpus-databases.js'
import { runText, writeText } from './query-commands.js'
import { now, RandomData } from './random-data.js'
import { RandomQueries } from './random-queries.js'

const rounds = new RandomRounds(1)
const queriesPerRound = 400
/** A range that lost its start may have windows without end; InfluxDB makes them all. */
const patienceMs = 5000

const word = /\s+|[A-Za-z_]\w*|\d+(?:\.\d+)?\w*|'[^']*'|"[^"]*"|[<>=!]+~?|./g
const others = [
  ...['SELECT', 'FROM', 'WHERE', 'GROUP BY', 'ORDER BY', 'DESC', 'LIMIT', 'OFFSET', 'SLIMIT'],
  ...['AND', 'OR', 'AS', 'IN', 'NOT', 'KEY', 'ALL', 'SHOW', 'SERIES', 'MEASUREMENT', 'DISTINCT'],
  ...['(', ')', ',', ';', '.', '..', '*', '/', '+', '-', '%', '&', '|', '^', '\\', '--', '/*x*/'],
  ...['=', '!=', '<>', '=~', '!~', '<', '>', '<=', '>=', '::', '::float', '::tag', '::field'],
  ...['10', '1.5', '-3', '0', '1e3', '9223372036854775808', '1u', '5m', '0s', '1x', 'true', 'null'],
  ...["'a'", "''", "'2026-01-01'", '"f"', '"host"', 'host', 'time', 'f', 'zz', 'm', '/h/', '/[/'],
  ...['now()', 'mean(', 'count(', 'derivative(', 'percentile(', 'top(', 'time(', '$p', "tz('UTC')"],
  ...['FILL(', 'fill(none)', 'fill(linear)', '"db"."autogen".'],
]

test.skipIf(!hasInfluxd)(
  'says of a broken query what InfluxDB says',
  { timeout: rounds.timeout },
  async () => {
    const influxd = await startInfluxd()
    await rounds.findNothing((seed) => round(influxd, seed))
  },
)

async function round(influxd: Influxd, seed: number): Promise<string[]> {
  const random = seededRandom(seed)
  const data = new RandomData(random)
  const queries = new RandomQueries(random, true)
  const world = await EngineWorld.openState(engineStates[0])
  const database = `b${seed}`
  const wrong: string[] = []
  try {
    world.clock.set(now)
    await influxd.query(`CREATE DATABASE ${database}`)
    for (const lines of [data.wholeRows(), data.lines(), data.lines()]) {
      await influxd.write(database, lines.replaceAll(/$/gm, '000000000'))
      await writeText(world, corpusBucket('db'), lines, 's')
    }
    for (let count = 0; count < queriesPerRound; count++) {
      const text = broken(queries.next(false), random)
      const expected = await influxd.answer(text, database, patienceMs)
      if (expected === undefined) continue
      const answer = await runText(world, text)
      const isSame =
        typeof expected === 'string'
          ? answer.endsWith(`error: ${expected}`)
          : !answer.includes('error: ') &&
            isSameAnswer(tablesOfText(answer), tablesOfResults(expected))
      if (!isSame) {
        wrong.push(`seed ${seed}: ${text}\n${answer}\n--- expected\n${JSON.stringify(expected)}`)
      }
    }
  } finally {
    await world.close()
  }
  return wrong
}

function broken(query: string, random: Random): string {
  const words = query.match(word)!
  for (let count = 1 + random.below(2); count > 0; count--) {
    const [at, elsewhere] = [random.below(words.length), random.below(words.length)]
    const change = random.pick([
      () => words.splice(at, 1),
      () => words.splice(at, 0, words[at], ' '),
      () => words.splice(at, 1, random.pick(others)),
      () => words.splice(at, 0, random.pick(others), ' '),
      () => words.splice(at, 1, words[elsewhere]),
    ])
    change()
  }
  return words.join('').trim()
}
