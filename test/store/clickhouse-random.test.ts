// Random points, deletions and queries in three languages, on ClickHouse and on the plain engine: the same answers,
// floats to one part in 10^12. `MILLRACE_SEED=7 MILLRACE_ROUNDS=50 npx vitest run test/store/clickhouse-random.test.ts`
// goes where nobody was.

import { afterAll, beforeAll, test } from 'vitest'
import { systemClock } from '../../src/platform/clock.js'
import { seededRandom } from '../../src/platform/random.js'
import { outcome as fluxOutcome } from '../flux/planned-scripts.js'
import { RandomScripts } from '../flux/random-scripts.js'
import { testBucket as fluxBucket } from '../flux/run-flux.js'
import { corpusBucket } from '../influxql/corpus-databases.js'
import { runText, writeText } from '../influxql/query-commands.js'
import { now, RandomData } from '../influxql/random-data.js'
import { RandomQueries } from '../influxql/random-queries.js'
import { RandomRounds } from '../random-rounds.js'
import { RandomStatements } from '../sql/random-statements.js'
import { testBucket as sqlBucket, outcome as sqlOutcome, testScope } from '../sql/run-sql.js'
import { clickhouseState } from './clickhouse-engine.js'
import { type ClickhouseServer, clickhouseMissing, startClickhouse } from './clickhouse-servers.js'
import { EngineWorld, engineStates } from './engine-states.js'
import { isNear } from './near-text.js'

const rounds = new RandomRounds(1)
const steps = 2
const writesPerStep = 4
const questionsPerStep = 15
/** The languages' own. */
const buckets = [corpusBucket('db'), fluxBucket, sqlBucket]

let server: ClickhouseServer
let clickhouse: Awaited<ReturnType<typeof clickhouseState>>

beforeAll(async () => {
  if (clickhouseMissing !== undefined) return
  server = await startClickhouse()
  clickhouse = await clickhouseState(server.newAddress(), systemClock)
}, 60_000)

afterAll(async () => {
  await clickhouse?.close()
  await server?.stop()
}, 300_000)

test.skipIf(clickhouseMissing !== undefined)(
  'ClickHouse answers as the plain engine does, whatever is asked',
  { timeout: rounds.timeout },
  async () => {
    await rounds.findNothing(round)
  },
)

async function round(seed: number): Promise<string[]> {
  const random = seededRandom(seed)
  const data = new RandomData(random)
  const languages = [
    {
      texts: new RandomQueries(random, false),
      ask: (text: string, world: EngineWorld) => runText(world, text),
    },
    { texts: new RandomScripts(random), ask: fluxOutcome },
    {
      texts: new RandomStatements(random),
      ask: async (text: string, world: EngineWorld) =>
        (await sqlOutcome(text, testScope({ store: world.engine }))).join('\n'),
    },
  ]
  const plain = await EngineWorld.openState(engineStates.find(({ name }) => name === 'plain')!)
  const other = await EngineWorld.openState(clickhouse.state)
  const write = async (lines: string) => {
    for (const world of [plain, other]) {
      for (const bucket of buckets) await writeText(world, bucket, lines, 's')
    }
  }
  const wrong: string[] = []
  try {
    for (const world of [plain, other]) world.clock.set(now)
    await write(data.wholeRows())
    for (let step = 0; step < steps; step++) {
      for (let count = 0; count < writesPerStep; count++) await write(data.lines())
      const deleted = data.part()
      for (const world of [plain, other]) {
        for (const bucket of buckets) await world.engine.delete({ bucket, ...deleted })
      }
      for (let count = 0; count < questionsPerStep; count++) {
        for (const { texts, ask } of languages) {
          const text = texts.next(false)
          const expected = await ask(text, plain)
          const answer = await ask(text, other)
          if (isNear(answer, expected)) continue
          wrong.push(`seed ${seed}, step ${step}: ${text}\n${answer}\n--- expected\n${expected}`)
        }
      }
    }
  } finally {
    await plain.close()
    await other.close()
  }
  return wrong
}
