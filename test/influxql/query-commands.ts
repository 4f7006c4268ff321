// The commands of the text cases under corpus/influxql/query, carried out on an engine.
//
//   write [db=db] [rp=autogen] [precision=s]     input: line protocol
//   generate measurement=m series=2 rows=1000 [step=10s]   rows enough for several blocks, by formula
//   query [db=db] [rp=…] [epoch=s] [now=1h] [params="{…}"] [get]   input: InfluxQL; output: tables
//   change …                                    as `query`, for statements that change data
//   explain …                                   as `query`, with figures blotted out
//   estimate …                                  how many values EXPLAIN says that are to be read
//
// `now` counts from 1970; unless told it is an hour after that.

import { UserError } from '../../src/errors.js'
import { influxql } from '../../src/influxql/influxql.js'
import type { InfluxqlScope } from '../../src/influxql/scope/scope.js'
import type { Precision } from '../../src/line-protocol/parser.js'
import { seededRandom } from '../../src/platform/random.js'
import { ActiveQueries } from '../../src/query/active-queries.js'
import { parseParameters } from '../../src/query/parameters.js'
import { PreparedQueries } from '../../src/query/prepared-queries.js'
import { Statistics } from '../../src/query/statistics.js'
import type { BucketId } from '../../src/store/store.js'
import type { DataDrivenCase } from '../datadriven.js'
import type { EngineState, EngineWorld } from '../store/engine-states.js'
import { parseTime } from '../store/store-commands.js'
import { corpusBucket, corpusDatabases } from './corpus-databases.js'
import { printPieces } from './result-table.js'

const changes = ['write', 'generate', 'change']

export const noLimits = {
  timeoutSeconds: 0,
  pointsMax: 0,
  seriesMax: 0,
  bucketsMax: 0,
  concurrentMax: 0,
  memoryBytesMax: 0,
}

/** Optimisations that can be switched off. */
export interface Switches extends Partial<Pick<InfluxqlScope, 'pushesCalls' | 'limits'>> {
  /** Off: every text is prepared for itself. */
  readonly cachesPrepared?: boolean
}

/** One for all worlds: what was prepared in one must be right in the others. */
const queries = new PreparedQueries(4 << 20)

/** Carries out one case, in one state; its output. */
export async function runQueryCommand(
  world: EngineWorld,
  state: EngineState,
  c: DataDrivenCase,
  switches: Switches = {},
): Promise<string> {
  const output = await perform(world, c, switches)
  if (changes.includes(c.command)) await state.afterChange?.(world)
  await state.afterCommand?.(world)
  return output
}

async function perform(world: EngineWorld, c: DataDrivenCase, switches: Switches): Promise<string> {
  const [database, policy] = [c.args.get('db')?.[0] ?? 'db', c.args.get('rp')?.[0]]
  switch (c.command) {
    case 'write': {
      const precision = (c.args.get('precision')?.[0] ?? 's') as Precision
      await writeText(world, corpusBucket(database, policy), c.input, precision)
      return ''
    }
    case 'generate':
      await writeText(world, corpusBucket(database, policy), generatedLines(c.args), 's')
      return ''
    case 'query':
    case 'change':
      return query(world, c, switches)
    case 'explain':
      return (await query(world, c, switches)).replaceAll(blotted, 'N')
    case 'estimate':
      return /VALUES TO READ, ABOUT: \d+/.exec(await query(world, c, switches))?.[0] ?? 'nothing'
    default:
      throw new Error(`unknown command ${c.command}`)
  }
}

/** Figures of EXPLAIN, and what only some engines know or do. */
const blotted = /(\d+(\.\d+ms)?|unknown|yes|no)(?=")/g

export async function writeText(
  world: EngineWorld,
  bucket: BucketId,
  text: string,
  precision: Precision,
): Promise<void> {
  const parser = world.parser(bucket)
  const { batch, errors } = parser.parse(Buffer.from(text), { precision, now: world.clock.now() })
  if (errors.length > 0) throw new UserError('invalid', errors[0].message)
  const { rejected } = await world.write(bucket, batch)
  parser.release(batch)
  if (rejected.length > 0) throw new UserError('invalid', rejected[0].reason)
}

/** Floats that climb and fall, integers that only climb, text now and then: the same on every run. */
export function generatedLines(args: DataDrivenCase['args']): string {
  const number = (key: string, otherwise: number) => Number(args.get(key)?.[0] ?? otherwise)
  const [measurement, stepSeconds] = [args.get('measurement')?.[0] ?? 'm', number('step', 10)]
  const lines: string[] = []
  for (let series = 0; series < number('series', 1); series++) {
    for (let row = 0; row < number('rows', 1); row++) {
      const f = ((row * 7919 + series * 104_729) % 2003) / 4
      const note = row % 500 === 0 ? `,s="row ${row}"` : ''
      lines.push(`${measurement},n=${series} f=${f},i=${row}i${note} ${row * stepSeconds}`)
    }
  }
  return lines.join('\n')
}

async function query(world: EngineWorld, c: DataDrivenCase, switches: Switches): Promise<string> {
  const { args } = c
  world.clock.set(parseTime(args.get('now')?.[0] ?? '1h'))
  const epoch = args.get('epoch')?.[0]
  const epochNs = epoch === undefined ? undefined : parseTime(`1${epoch}`)
  const params = args.get('params')?.[0]
  return runText(world, c.input, { args, epochNs, params, ...switches })
}

interface Run extends Switches {
  readonly args?: DataDrivenCase['args']
  readonly epochNs?: bigint | undefined
  readonly params?: string | undefined
}

/** What the text answers, as tables, at the time of the world's clock. */
export async function runText(world: EngineWorld, text: string, run: Run = {}): Promise<string> {
  const { args = new Map(), epochNs, params, cachesPrepared = true, ...others } = run
  try {
    const parameters = params === undefined ? undefined : { values: parseParameters(params) }
    const scope = { ...scopeOf(world, args), ...others }
    const prepared = cachesPrepared
      ? queries.prepare('influxql', influxql, text, parameters)
      : influxql.prepare(text, parameters)
    return await printPieces(prepared.run(scope, new AbortController().signal), epochNs)
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return `error: ${error.message}`
  }
}

function scopeOf(world: EngineWorld, args: DataDrivenCase['args']): InfluxqlScope {
  const database = args.get('db')?.[0] ?? 'db'
  return {
    store: world.engine,
    clock: world.clock,
    random: seededRandom(1),
    databases: corpusDatabases,
    limits: noLimits,
    queries: new ActiveQueries(world.clock),
    statistics: new Statistics(),
    database: database === 'none' ? undefined : database,
    policy: args.get('rp')?.[0],
    isReadOnly: args.has('get'),
    writePoints: (database, policy, lines) =>
      writeText(world, corpusBucket(database, policy), Buffer.from(lines).toString(), 'ns'),
  }
}
