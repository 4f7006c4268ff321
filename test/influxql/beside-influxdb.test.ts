// Random points, deletions and queries, told to a real InfluxDB 1.6 and to every state in which data can lie here: the
// same answers. `MILLRACE_SEED=7 MILLRACE_ROUNDS=500 npx vitest run test/influxql/beside-influxdb.test.ts` goes where
// nobody was.

import { test } from 'vitest'
import { seededRandom } from '../../src/platform/random.js'
import { hasInfluxd, type Influxd, startInfluxd } from '../influxd.js'
import { RandomRounds } from '../random-rounds.js'
import { EngineWorld, languageStates } from '../store/engine-states.js'
import { type AnswerTable, isSameAnswer, tablesOfResults, tablesOfText } from './compared-tables.js'
import { corpusBucket } from './corpus-databases.js'
import { runText, writeText } from './query-commands.js'
import { now, RandomData } from './random-data.js'
import { RandomQueries } from './random-queries.js'

const rounds = new RandomRounds(2)
const lastStep = 5
const writesPerStep = 6
const queriesPerStep = 12

test.skipIf(!hasInfluxd)(
  'answers as InfluxDB 1.6 does, whatever is asked',
  { timeout: rounds.timeout },
  async () => {
    const influxd = await startInfluxd()
    await rounds.findNothing((seed) => round(influxd, seed))
  },
)

/** A database from its first point on; what was answered otherwise. */
async function round(influxd: Influxd, seed: number): Promise<string[]> {
  const random = seededRandom(seed)
  const data = new RandomData(random)
  const isWhole = random.below(2) > 0
  const queries = new RandomQueries(random, isWhole)
  const database = await InfluxDatabase.create(influxd, `d${seed}`)
  const worlds = await Promise.all(
    languageStates.map(async (state) => ({ state, world: await EngineWorld.openState(state) })),
  )
  const changeAll = async (change: (world: EngineWorld) => Promise<unknown>) => {
    for (const { state, world } of worlds) {
      await change(world)
      await state.afterChange?.(world)
    }
  }
  const write = async (lines: string) => {
    await database.change({ lines })
    await changeAll((world) => writeText(world, corpusBucket('db'), lines, 's'))
  }
  const carryOut = async (statement: string) => {
    await database.change({ statement })
    await changeAll((world) => runText(world, statement))
  }
  const wrong: string[] = []
  try {
    for (const { world } of worlds) world.clock.set(now)
    if (isWhole) await write(data.wholeRows())
    for (let step = 0; step <= lastStep; step++) {
      for (let count = 0; count < writesPerStep; count++) await write(data.lines())
      if (random.below(2) === 0) await carryOut(data.copying())
      if (step > 0) await carryOut(step < lastStep ? data.deletion() : data.lastDeletion())
      for (let query = 0; query < queriesPerStep; query++) {
        const text = queries.next(step > 0)
        const expected = await database.ask(text)
        for (const { state, world } of worlds) {
          const answer = tablesOfText(await runText(world, text))
          if (isSameAnswer(answer, expected)) continue
          // Deletions are lost, or take what they should not, where InfluxDB itself is busy with its files.
          if (isSameAnswer(answer, await database.askAnother(text))) break
          const where = `seed ${seed}, step ${step}, ${state.name}: ${text}`
          wrong.push(`${where}\n${print(answer)}\n--- expected\n${print(expected)}`)
          break
        }
      }
    }
  } finally {
    for (const { world } of worlds) await world.close()
  }
  return wrong
}

const print = (tables: readonly AnswerTable[]) =>
  tables
    .flatMap(({ head, columns, rows }) => [head, ...[columns, ...rows].map((row) => row.join(' '))])
    .join('\n')

type Change = { readonly lines: string } | { readonly statement: string }

/** Knows what happened to it, so that another one can be made that is the same. */
class InfluxDatabase {
  readonly #influxd: Influxd
  readonly #name: string
  readonly #changes: Change[] = []
  #others = 0

  private constructor(influxd: Influxd, name: string) {
    this.#influxd = influxd
    this.#name = name
  }

  static async create(influxd: Influxd, name: string): Promise<InfluxDatabase> {
    await influxd.query(`CREATE DATABASE ${name}`)
    return new InfluxDatabase(influxd, name)
  }

  async change(change: Change): Promise<void> {
    this.#changes.push(change)
    if ('statement' in change) await this.#influxd.query(change.statement, this.#name)
    else await this.#influxd.write(this.#name, change.lines.replaceAll(/$/gm, '000000000'))
  }

  async ask(text: string): Promise<AnswerTable[]> {
    const epoch = ''
    return tablesOfResults(await this.#influxd.query(text, this.#name, epoch))
  }

  async askAnother(text: string): Promise<AnswerTable[]> {
    const other = await InfluxDatabase.create(this.#influxd, `${this.#name}_${++this.#others}`)
    for (const change of this.#changes) await other.change(change)
    return other.ask(text)
  }
}
