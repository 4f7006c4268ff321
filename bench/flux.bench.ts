// Flux where the store cannot help, or only with the read: row functions, pivot, joins and windows over what
// `from |> range` reads from an engine in memory, and functions that the planner takes into the read, with and without
// that. One million rows of 100 hosts for what goes row by row, ten fields of 100,000 rows each for what brings tables
// together. Milliseconds are those of CPU time, reading included; `read` is that part alone. The check string has the
// rows and the sum of the values of every answer.

import type { FluxScope } from '../src/flux/context/scope.js'
import { fileToJson } from '../src/flux/syntax/json.js'
import { parseFlux } from '../src/flux/syntax/parser.js'
import { LineProtocolParser } from '../src/line-protocol/parser.js'
import { ManualClock } from '../src/platform/clock.js'
import { parseJson } from '../src/query/json-text.js'
import type { TablePiece } from '../src/query/language.js'
import type { Cells } from '../src/query/table.js'
import { type Engine, openEngine } from '../src/store/embedded/engine.js'
import { flux, testBucket, testScope } from '../test/flux/run-flux.js'
import { SimulatedDisk } from '../test/platform/simulated-disk.js'
import { type Figures, startTime } from './cpu-data.js'

const stepNs = 10_000_000_000n

const rows = (field: string) => `from(bucket: "b")
  |> range(start: 2016-01-01T00:00:00Z, stop: end)
  |> filter(fn: (r) => r._measurement == "long" and r._field == "${field}")`

const wide = (where: string) => `from(bucket: "b")
  |> range(start: 2016-01-01T00:00:00Z, stop: end)
  |> filter(fn: (r) => r._measurement == "wide"${where})`

/** Many small tables, one for each series. */
const many = `from(bucket: "b")
  |> range(start: 2016-01-01T00:00:00Z, stop: 2016-01-01T00:01:00Z)
  |> filter(fn: (r) => r._measurement == "many")
  |> aggregateWindow(every: 20s, fn: mean)`

const sides = `left = ${wide(' and r._field == "f0"')} |> group()
right = ${wide(' and r._field == "f1"')} |> group()`

/** Functions that the planner takes into the read; each also without the rule for it. */
const taken: Readonly<Record<string, readonly [rule: string, script: string]>> = {
  mapFloat: [
    'PushDownMapRule',
    `${rows('level')} |> map(fn: (r) => ({r with _value: r._value * 2.0 + 1.0}))`,
  ],
  keep: ['PushDownColumnsRule', `${rows('level')} |> keep(columns: ["_time", "_value", "host"])`],
  keepTimes: ['PushDownColumnsRule', `${rows('level')} |> keep(columns: ["_time", "host"])`],
  keepTag: ['PushDownColumnsRule', `${rows('level')} |> keep(columns: ["rack"])`],
  keepWindows: [
    'PushDownColumnsRule',
    `${rows('level')} |> aggregateWindow(every: 1m, fn: mean)
      |> keep(columns: ["_time", "_value", "host"])`,
  ],
  keepWindowsOfHours: [
    'PushDownColumnsRule',
    `${rows('level')} |> aggregateWindow(every: 1h, fn: mean)
      |> keep(columns: ["_time", "_value", "host"])`,
  ],
  mapWindows: [
    'PushDownMapRule',
    `${rows('level')} |> aggregateWindow(every: 1m, fn: mean)
      |> map(fn: (r) => ({r with _value: r._value * 2.0 + 1.0}))`,
  ],
  keepMany: ['PushDownColumnsRule', `${many} |> keep(columns: ["_time", "_value", "host"])`],
  mapMany: [
    'PushDownMapRule',
    `${many} |> map(fn: (r) => ({r with _value: r._value * 2.0 + 1.0}))`,
  ],
  sortLimit: ['ShortcutRule', `${rows('level')} |> sort() |> limit(n: 10)`],
  splitWindows: ['PushDownWindowAggregateRule', `${rows('level')} |> window(every: 1h) |> mean()`],
}

function withoutRule(rule: string, script: string): string {
  return `import "planner"\noption planner.disablePhysicalRules = ["${rule}"]\n${script}`
}

const cases: Readonly<Record<string, string>> = {
  read: rows('level'),
  mapInt: `${rows('count')} |> map(fn: (r) => ({r with _value: r._value * 3 - 7}))`,
  mapCondition: `${rows('level')}
    |> map(fn: (r) => ({r with state: if r._value > 90.0 then "high" else if r._value < 10.0 then "low" else "ok"}))`,
  mapRecord: `${rows('level')} |> map(fn: (r) => ({_time: r._time, host: r.host, _value: r._value / 10.0}))`,
  mapCall: `${rows('level')} |> map(fn: (r) => ({r with name: r.host + "-" + string(v: int(v: r._value))}))`,
  filter: `${rows('level')} |> group() |> filter(fn: (r) => r._value > 50.0 and r.host != "h7")`,
  groupReduce: `${rows('level')} |> group(columns: ["rack"]) |> reduce(
    identity: {count: 0, sum: 0.0, _value: 0.0},
    fn: (r, accumulator) => ({
      count: accumulator.count + 1,
      sum: accumulator.sum + r._value,
      _value: if r._value > accumulator._value then r._value else accumulator._value,
    }))`,
  windows: `${rows('level')}
    |> map(fn: (r) => ({r with _value: r._value * 2.0})) |> aggregateWindow(every: 1m, fn: mean)`,
  windowsOfHours: `${rows('level')}
    |> map(fn: (r) => ({r with _value: r._value * 2.0})) |> aggregateWindow(every: 1h, fn: max)`,
  pivot: `${wide('')} |> pivot(rowKey: ["_time"], columnKey: ["_field"], valueColumn: "_value")
    |> map(fn: (r) => ({r with _value: r.f0 + r.f9}))`,
  pivotUngrouped: `${wide('')} |> group()
    |> pivot(rowKey: ["_time", "host"], columnKey: ["_field"], valueColumn: "_value")
    |> map(fn: (r) => ({r with _value: r.f0 + r.f9}))`,
  joinInner: `import "join"
${sides}
join.inner(left: left, right: right, on: (l, r) => l._time == r._time and l.host == r.host,
  as: (l, r) => ({l with _value: l._value + r._value}))`,
  joinOld: `${sides}
join(tables: {a: left, b: right}, on: ["_time", "host"])
  |> map(fn: (r) => ({r with _value: r._value_a + r._value_b}))`,
}

/** `only`: the cases to run. */
export async function run(
  size: 'small' | 'large',
  only: readonly string[] = [...Object.keys(cases), ...Object.keys(taken)],
): Promise<Figures> {
  const disk = new SimulatedDisk()
  await disk.makeDir('data')
  const clock = new ManualClock(startTime)
  const engine = await openEngine({ disk, folder: 'data', clock, jobs: 'inline' })
  try {
    const stepCount = size === 'small' ? 20 : 10_000
    await load(engine, stepCount)
    const end = startTime + BigInt(stepCount) * stepNs
    const scope = testScope({ store: engine })
    const extern = parseJson(JSON.stringify(fileToJson(parseFlux(`end = time(v: ${end})`))))
    const figures: Record<string, number> = {}
    const answers: string[] = []
    for (const name of only) {
      const names = name in taken ? [name, `${name}Off`] : [name]
      const rounds = size === 'small' ? 1 : names.length === 1 ? 3 : 10
      const found = await fastest(rounds, scriptsOf(name), extern, scope)
      for (const [i, { seconds, answer }] of found.entries()) {
        figures[`${names[i]}Milliseconds`] = seconds * 1000
        answers.push(`${names[i]} ${answer}`)
      }
    }
    return { name: 'flux', figures, check: answers.join('\n') }
  } finally {
    await engine.close()
  }
}

/** 100 hosts with two fields, 10 of them with ten more; and as many hosts as steps that have six points. */
async function load(engine: Engine, stepCount: number): Promise<void> {
  const parser = new LineProtocolParser()
  await write(engine, parser, manyLines(stepCount))
  for (let host = 0; host < 100; host++) {
    const lines: string[] = []
    for (let step = 0; step < stepCount; step++) {
      const time = `${startTime + BigInt(step) * stepNs}\n`
      const level = ((step * 37 + host * 11) % 1000) / 10
      const tags = `host=h${host},rack=r${host % 10}`
      lines.push(`long,${tags} level=${level},count=${(step * host) % 5003}i ${time}`)
      if (host < 10) lines.push(`wide,${tags} ${wideFields(step, host)} ${time}`)
    }
    await write(engine, parser, lines)
  }
}

async function write(
  engine: Engine,
  parser: LineProtocolParser,
  lines: readonly string[],
): Promise<void> {
  const { batch } = parser.parse(Buffer.from(lines.join('')), { precision: 'ns', now: 0n })
  await engine.write(testBucket, batch)
  parser.release(batch)
  await engine.flush()
}

function manyLines(hostCount: number): string[] {
  return Array.from({ length: 6 * hostCount }, (_, i) => {
    const time = startTime + BigInt(i % 6) * stepNs
    return `many,host=h${Math.floor(i / 6)} level=${i % 977}.5 ${time}\n`
  })
}

function wideFields(step: number, host: number): string {
  return Array.from({ length: 10 }, (_, f) => `f${f}=${(step * (f + 3) + host) % 777}.5`).join(',')
}

function scriptsOf(name: string): readonly string[] {
  if (!(name in taken)) return [cases[name]]
  const [rule, script] = taken[name]
  return [script, withoutRule(rule, script)]
}

interface Fastest {
  seconds: number
  answer: string
}

/** Scripts that are compared take turns, so that what the machine does besides falls on each of them. */
async function fastest(
  rounds: number,
  texts: readonly string[],
  extern: unknown,
  scope: FluxScope,
): Promise<readonly Fastest[]> {
  const found = texts.map((): Fastest => ({ seconds: Number.POSITIVE_INFINITY, answer: '' }))
  for (let i = 0; i < rounds; i++) {
    for (const [at, text] of texts.entries()) {
      const start = process.cpuUsage()
      const query = flux.prepare(text, { extern })
      found[at].answer = await totals(query.run(scope, new AbortController().signal))
      const { user, system } = process.cpuUsage(start)
      found[at].seconds = Math.min(found[at].seconds, (user + system) / 1e6)
    }
  }
  return found
}

async function totals(pieces: AsyncIterable<TablePiece>): Promise<string> {
  let tableCount = 0
  let rowCount = 0
  let sum = 0
  let place = -1
  for await (const piece of pieces) {
    if (piece.kind === 'table') {
      tableCount++
      place = piece.columns.findIndex(({ name }) => name === 'state' || name === 'name')
      if (place < 0) place = piece.columns.findIndex(({ name }) => name === '_value')
    } else {
      rowCount += piece.rowCount
      if (place >= 0) sum += cellsSum(piece.columns[place], piece.rowCount)
    }
  }
  return `${tableCount} tables, ${rowCount} rows, ${sum.toFixed(1)}`
}

/** Texts count by their length. */
function cellsSum(cells: Cells, rowCount: number): number {
  if (cells.kind === 'constant') return rowCount * Number(cells.value)
  let sum = 0
  for (let row = 0; row < rowCount; row++) {
    if (cells.validity?.[row] === 0) continue
    sum +=
      cells.type === 'string'
        ? cells.dictionary[cells.values[row]].length
        : Number(cells.values[row])
  }
  return sum
}
