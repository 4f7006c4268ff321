// SQL over 2 million rows of 3 fields (100 hosts, 10 s apart, an engine in memory), grouped by tag and
// hour, beside the same question in InfluxQL; the same in SQL row by row, as DuckDB alone would do it; and
// rows that pass a condition. Milliseconds are the fastest of some rounds, answers read to their end.
// `factor` is SQL by InfluxQL: at most 6 wanted.

import { performance } from 'node:perf_hooks'
import { valueAt } from '../src/column/column.js'
import { influxql } from '../src/influxql/influxql.js'
import type { InfluxqlScope } from '../src/influxql/scope/scope.js'
import { LineProtocolParser } from '../src/line-protocol/parser.js'
import { ManualClock } from '../src/platform/clock.js'
import type { PullStream } from '../src/platform/pull-stream.js'
import { seededRandom } from '../src/platform/random.js'
import { ActiveQueries } from '../src/query/active-queries.js'
import type { ResultPiece } from '../src/query/language.js'
import { Statistics } from '../src/query/statistics.js'
import { SqlLanguage } from '../src/sql/sql.js'
import { type Engine, openEngine } from '../src/store/embedded/engine.js'
import { SimulatedDisk } from '../test/platform/simulated-disk.js'
import { type Figures, startTime } from './cpu-data.js'

const bucket = '00000000000000aa'
const hostCount = 100
const limits = {
  timeoutSeconds: 0,
  pointsMax: 0,
  seriesMax: 0,
  bucketsMax: 0,
  concurrentMax: 0,
  memoryBytesMax: 2e9,
}

const grouped = `SELECT date_bin(INTERVAL '1 hour', time) AS t, host, avg(a) AS a, avg(b) AS b, avg(c) AS c
  FROM m WHERE time >= '2016-01-01T00:00:00Z' AND time < '2016-02-01T00:00:00Z' GROUP BY t, host`

const inInfluxql = `SELECT mean(a), mean(b), mean(c) FROM m
  WHERE time >= '2016-01-01T00:00:00Z' AND time < '2016-02-01T00:00:00Z' GROUP BY time(1h), host fill(none)`

const searched = "SELECT time, host, a FROM m WHERE a > 99 AND host = 'h7'"

export async function run(size: 'small' | 'large'): Promise<Figures> {
  const disk = new SimulatedDisk()
  await disk.makeDir('data')
  const clock = new ManualClock(startTime)
  const engine = await openEngine({ disk, folder: 'data', clock, jobs: 'inline' })
  const sql = new SqlLanguage()
  try {
    await load(engine, size === 'small' ? 400 : 20_000)
    const rounds = size === 'small' ? 1 : 5
    const { signal } = new AbortController()
    const of = { store: engine, clock, limits, database: 'd', bucket: async () => bucket }
    const ask = (text: string, pushesAggregates: boolean) =>
      sql.prepare(text).run({ ...of, answersDirectly: pushesAggregates, pushesAggregates }, signal)
    const askInfluxql = () => influxql.prepare(inInfluxql).run(scopeOf(engine, clock), signal)
    const byStore = await fastest(rounds, () => ask(grouped, true))
    const byRows = await fastest(rounds, () => ask(grouped, false))
    const beside = await fastest(rounds, askInfluxql)
    const rows = await fastest(rounds, () => ask(searched, true))
    return {
      name: 'sql',
      figures: {
        sqlMilliseconds: byStore.milliseconds,
        sqlRowByRowMilliseconds: byRows.milliseconds,
        influxqlMilliseconds: beside.milliseconds,
        factor: byStore.milliseconds / beside.milliseconds,
        factorRowByRow: byRows.milliseconds / beside.milliseconds,
        searchMilliseconds: rows.milliseconds,
      },
      check: [
        `sql ${byStore.answer}`,
        `row by row ${byRows.answer}`,
        `influxql ${beside.answer}`,
        `search ${rows.answer}`,
      ].join('\n'),
    }
  } finally {
    await sql.close()
    await engine.close()
  }
}

async function load(engine: Engine, stepCount: number): Promise<void> {
  const parser = new LineProtocolParser()
  for (let host = 0; host < hostCount; host++) {
    const lines: string[] = []
    for (let step = 0; step < stepCount; step++) {
      const a = ((step * 37 + host * 11) % 1000) / 10
      const b = ((step * 17 + host) % 500) / 4
      const c = (step + host) % 97
      lines.push(
        `m,host=h${host} a=${a},b=${b},c=${c} ${startTime + BigInt(step) * 10_000_000_000n}\n`,
      )
    }
    const { batch } = parser.parse(Buffer.from(lines.join('')), { precision: 'ns', now: 0n })
    await engine.write(bucket, batch)
    parser.release(batch)
    await engine.flush()
  }
}

function scopeOf(engine: Engine, clock: ManualClock): InfluxqlScope {
  return {
    store: engine,
    clock,
    random: seededRandom(1),
    databases: { bucket: async () => bucket } as unknown as InfluxqlScope['databases'],
    writePoints: async () => undefined,
    limits,
    queries: new ActiveQueries(clock),
    statistics: new Statistics(),
    database: 'd',
    policy: undefined,
    isReadOnly: true,
  }
}

async function fastest(rounds: number, run: () => PullStream<ResultPiece>) {
  let milliseconds = Number.POSITIVE_INFINITY
  let answer = ''
  for (let i = 0; i < rounds; i++) {
    const start = performance.now()
    answer = await totals(run())
    milliseconds = Math.min(milliseconds, performance.now() - start)
  }
  return { milliseconds, answer }
}

/** Rows, and the sum of all floats. */
async function totals(pieces: PullStream<ResultPiece>): Promise<string> {
  let rows = 0
  let sum = 0
  for await (const piece of pieces) {
    if (piece.kind === 'failure') throw piece.error
    if (piece.kind === 'start') continue
    rows += piece.rowCount
    for (const column of piece.columns) {
      if (column.type !== 'float') continue
      for (let row = 0; row < piece.rowCount; row++) sum += Number(valueAt(column, row) ?? 0)
    }
  }
  return `${rows} rows, ${sum.toFixed(3)}`
}
