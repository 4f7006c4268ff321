// The corpora of the store and of the three languages on ClickHouse: the embedded engine's answers, floats to one part
// in 10^12, but for the differences that docs/cluster.md names. MILLRACE_CLICKHOUSE_CORPORA=1 runs all files, which
// takes some minutes; the suite runs some of them.

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { escapeName, seriesKey } from '../../src/column/series.js'
import { systemClock } from '../../src/platform/clock.js'
import {
  type DataDrivenCase,
  type DataDrivenCompare,
  dataDrivenFiles,
  runDataDriven,
} from '../datadriven.js'
import { FluxCorpus } from '../flux/flux-commands.js'
import { runQueryCommand } from '../influxql/query-commands.js'
import { runSqlCommand } from '../sql/sql-commands.js'
import { clickhouseState } from './clickhouse-engine.js'
import { type ClickhouseServer, clickhouseMissing, startClickhouse } from './clickhouse-servers.js'
import { type EngineState, EngineWorld, engineStates } from './engine-states.js'
import { hostileName, hostileText } from './hostile-texts.js'
import { isNear } from './near-text.js'
import { runStoreCommand } from './store-commands.js'

type Run = (c: DataDrivenCase) => Promise<string>

interface Corpus {
  readonly folder: string
  runner(world: EngineWorld, state: EngineState): Run
}

const corpora: readonly Corpus[] = [
  {
    folder: 'store',
    runner: (world, state) => (c) => runStoreCommand(world, state, c),
  },
  {
    folder: 'influxql/query',
    runner: (world, state) => (c) => runQueryCommand(world, state, c),
  },
  {
    folder: 'flux',
    runner(world, state) {
      const corpus = new FluxCorpus(world, state)
      return (c) => corpus.run(c)
    },
  },
  {
    folder: 'sql',
    runner: (world, state) => (c) => runSqlCommand(world, state, c),
  },
]

const seed = Number(process.env.MILLRACE_SEED ?? Date.now() % 2 ** 31)
const areAll = process.env.MILLRACE_CLICKHOUSE_CORPORA === '1'
/** Otherwise one file of so many of each corpus. */
const every = 20

/** Cases that give something else, by the line of their command: "What is different from the data folder" there. */
const documented: Readonly<Record<string, readonly number[]>> = {}
/** What EXPLAIN tells besides: the statements that ClickHouse gets. */
const statementLine = /^ *"(READS OF THE STORE|STATEMENT|AND OF)\b.*\n?/gm

function comparison(file: string, differing: number[]): DataDrivenCompare {
  return (actual, expected, { line, command }) => {
    // A row counts in each table that it lies in.
    if (command === 'estimate') return /^VALUES TO READ, ABOUT: \d+$/.test(actual)
    const told = command === 'explain' ? actual.replace(statementLine, '').trimEnd() : actual
    if (isNear(told, expected)) return true
    differing.push(line)
    return documented[file]?.includes(line) === true
  }
}

interface HostilePoint {
  readonly measurement: string
  readonly tag: string
  readonly value: string
  readonly field: string
  readonly text: string
}

function hostileLine({ measurement, tag, value, field, text }: HostilePoint, i: number): string {
  const key = seriesKey({ measurement, tags: [{ key: tag, value }] })
  const printed = text.replace(/[\n\r\0]/g, '').replace(/[\\"]/g, '\\$&')
  return `${key} ${escapeName(field)}="${printed}" ${i + 1}`
}

/** Names and values as each language quotes them, and values without any quotes. */
function hostileStatements(folder: string, point: HostilePoint): string[] {
  const { measurement, tag, value, field, text } = point
  const backslashed = (quote: string) => (one: string) =>
    `${quote}${one.replace(/[\\'"]/g, '\\$&').replaceAll('\n', '\\n')}${quote}`
  const doubled = (quote: string) => (one: string) =>
    `${quote}${one.replaceAll(quote, quote + quote)}${quote}`
  if (folder === 'influxql/query') {
    const [name, literal] = [backslashed('"'), backslashed("'")]
    const from = `FROM ${name(measurement)}`
    const pattern = value.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
    return [
      `SELECT ${name(field)} FROM ${name(measurement)} WHERE ${name(tag)} = ${literal(value)}`,
      `SELECT last(${name(field)}) ${from} WHERE ${name(tag)} =~ /^${pattern}$/ GROUP BY ${name(tag)}`,
      `SELECT * ${from} WHERE ${name(field)} = ${literal(text)}`,
      `SELECT * ${from} WHERE ${name(tag)} = ${value}`,
    ]
  }
  if (folder === 'flux') {
    const quoted = (one: string) =>
      backslashed('"')(one).replaceAll("\\'", "'").replaceAll('${', '\\${')
    const from = `from(bucket: "b") |> range(start: 0, stop: 1)`
    const isOf = (one: string) => `r[${quoted(tag)}] == ${one}`
    return [
      `${from} |> filter(fn: (r) => r._measurement == ${quoted(measurement)} and ${isOf(quoted(value))})`,
      `${from} |> filter(fn: (r) => r._field == ${quoted(field)} and r._value != ${quoted(text)}) |> count()`,
      `${from} |> filter(fn: (r) => ${isOf(value)})`,
    ]
  }
  if (folder !== 'sql') return []
  const [name, literal] = [doubled('"'), doubled("'")]
  const from = `FROM ${name(measurement)}`
  return [
    `SELECT ${name(field)} ${from} WHERE ${name(tag)} = ${literal(value)} ORDER BY time`,
    `SELECT ${name(tag)}, count(*) AS c ${from} WHERE ${name(field)} <> ${literal(text)} GROUP BY 1 ORDER BY 1`,
    `SELECT * ${from} WHERE ${name(tag)} = ${value}`,
  ]
}

function filesOf({ folder }: Corpus): (readonly [string, string])[] {
  const root = fileURLToPath(new URL(`../corpus/${folder}`, import.meta.url))
  return dataDrivenFiles(root)
    .filter((path) => folder !== 'flux' || /^write$/m.test(readFileSync(path, 'utf8')))
    .filter((_, i) => areAll || i % every === 0)
    .map((path) => [path.slice(root.length + 1), path])
}

describe.skipIf(clickhouseMissing !== undefined)('corpora on ClickHouse', () => {
  let server: ClickhouseServer
  let clickhouse: Awaited<ReturnType<typeof clickhouseState>>

  beforeAll(async () => {
    vi.stubEnv('MILLRACE_REWRITE', '')
    server = await startClickhouse()
    clickhouse = await clickhouseState(server.newAddress(), systemClock)
  }, 60_000)

  afterAll(async () => {
    vi.unstubAllEnvs()
    await clickhouse?.close()
    await server?.stop()
  }, 300_000)

  describe.each(corpora)('$folder', (corpus) => {
    test.each(filesOf(corpus))('%s', { timeout: 120_000 }, async (name, path) => {
      const world = await EngineWorld.openState(clickhouse.state)
      const file = `${corpus.folder}/${name}`
      const differing: number[] = []
      try {
        const compare = comparison(file, differing)
        await runDataDriven(path, corpus.runner(world, clickhouse.state), compare)
      } finally {
        await world.close()
      }
      // What is no longer different is to leave the list.
      expect(differing).toEqual(documented[file] ?? [])
    })
  })

  test('no statement of any language gets out of the statements that ClickHouse gets', async () => {
    const point = fc.record({
      measurement: hostileName,
      tag: hostileName,
      value: hostileName,
      field: hostileName,
      text: hostileText,
    })
    let goodCount = 0
    await fc.assert(
      fc.asyncProperty(fc.array(point, { minLength: 2, maxLength: 2 }), async (points) => {
        const lines = points.map(hostileLine).join('\n')
        const states = [clickhouse.state, engineStates.at(-1)!]
        const answers: string[][] = []
        for (const state of states) {
          const world = await EngineWorld.openState(state)
          const own: string[] = []
          answers.push(own)
          try {
            for (const { folder, runner } of corpora) {
              const run = runner(world, state)
              const perform = (command: string, input: string) =>
                run({ command, input, args: new Map([['precision', ['ns']]]), line: 0 })
              const asked = points.flatMap((one) => hostileStatements(folder, one))
              if (asked.length > 0) await perform('write', lines)
              for (const statement of asked) {
                own.push(
                  `${statement}\n${await perform(folder === 'flux' ? 'run' : 'query', statement)}`,
                )
              }
            }
          } finally {
            await world.close()
          }
        }
        expect(answers[0]).toEqual(answers[1])
        goodCount += answers[0].filter((text) => !/\nerror/.test(text)).length
      }),
      { seed, numRuns: areAll ? 40 : 3, endOnFailure: true },
    )
    expect(goodCount).toBeGreaterThan(3)
  }, 300_000)

  test('floats may differ in the last digits, and nothing else may', () => {
    expect(isNear('a 0.1 1', 'a 0.10000000000000002 1')).toBe(true)
    expect(isNear('a 0.1 1', 'a 0.1000000001 1')).toBe(false)
    expect(isNear('9223372036854775806', '9223372036854775807')).toBe(false)
    expect(isNear('0.3 x', '0.30000000000000004 y')).toBe(false)
  })
})
