// Many small tables as one batch must give what the same tables give one by one: chains of functions over random
// points run with batches and without, and every table, column, row and error must be the same, in the same order.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { seededRandom } from '../../src/platform/random.js'
import { type EngineWorld, languageStates } from '../store/engine-states.js'
import { openWorld } from './planned-scripts.js'
import { type PlainResult, runFlux } from './run-flux.js'

const off = 'option planner.disablePhysicalRules = ["TableBatchRule"]\n'
const imports = `import "experimental"
import "internal/debug"
import "planner"
`

const sources = [
  'range(start: 1970-01-14T22:00:00Z, stop: 1970-01-14T22:05:00Z)',
  'range(start: 1970-01-14T23:40:00Z, stop: 1970-01-15T00:20:00Z) |> filter(fn: (r) => r._field == "usage")',
  `range(start: 1970-01-14T22:00:00Z, stop: 1970-01-15T02:00:00Z)
    |> filter(fn: (r) => r._measurement == "cpu") |> last()`,
  `range(start: 1970-01-14T22:00:00Z, stop: 1970-01-15T02:00:00Z) |> filter(fn: (r) => r._measurement == "cpu")
    |> aggregateWindow(every: 30m, fn: count)`,
  `range(start: 1970-01-14T23:00:00Z, stop: 1970-01-15T01:00:00Z)
    |> filter(fn: (r) => r._field == "usage" or r._field == "procs")
    |> aggregateWindow(every: 20m, fn: mean, createEmpty: false)`,
]

const steps = [
  'filter(fn: (r) => r.host == "a" or r.host == "c")',
  'filter(fn: (r) => exists r.region, onEmpty: "keep")',
  'filter(fn: (r) => string(v: r._value) != "1")',
  'filter(fn: (r) => false)',
  'map(fn: (r) => ({r with twice: r._field}))',
  'map(fn: (r) => ({r with host: "one"}))',
  'map(fn: (r) => ({r with text: string(v: r._value)}))',
  'map(fn: (r) => ({_time: r._time, _field: r._field, _value: r._value}))',
  'map(fn: (r) => ({r with maybe: if r._field == "usage" then r._value else debug.null(type: "float")}))',
  'map(fn: (r) => ({r with none: debug.opaque(v: r.host)}))',
  'group()',
  'group(columns: ["host"])',
  'group(columns: ["_value", "region"])',
  'group(columns: ["_time", "_value"], mode: "except")',
  'experimental.group(mode: "extend", columns: ["_time"])',
  'experimental.group(mode: "extend", columns: ["_value"])',
  'experimental.set(o: {who: "me", host: "z"})',
  'set(key: "_measurement", value: "other")',
  'set(key: "added", value: "x")',
  'keep(columns: ["_time", "_value", "host"])',
  'keep(columns: ["_value"])',
  'keep(columns: ["no such"])',
  'drop(columns: ["_start", "_stop", "_field"])',
  'drop(fn: (column) => column =~ /^_s/)',
  'rename(columns: {_value: "v"})',
  'rename(fn: (column) => "${column}_")',
  'duplicate(column: "_value", as: "again")',
  'pivot(rowKey: ["_time"], columnKey: ["_field"], valueColumn: "_value")',
  'pivot(rowKey: ["_time"], columnKey: ["host", "_field"], valueColumn: "_value")',
  'pivot(rowKey: ["_time", "host"], columnKey: ["_field"], valueColumn: "_value")',
  'pivot(rowKey: ["_field"], columnKey: ["_time"], valueColumn: "_value")',
  'pivot(rowKey: ["_time"], columnKey: ["_value"], valueColumn: "_field")',
  'to(bucket: "b")',
  'experimental.to(bucket: "b")',
  'limit(n: 2)',
  'sort(columns: ["_value"])',
  'max()',
]

let world: EngineWorld
beforeAll(async () => {
  world = await openWorld(languageStates[0], 11)
})
afterAll(() => world.close())

/** Everything as it came, with what was written. */
async function exactly(script: string): Promise<string> {
  const lines: string[] = []
  const write = async (_: unknown, bytes: Uint8Array) => {
    lines.push(new TextDecoder().decode(bytes))
  }
  try {
    const results = await runFlux(script, { store: world.engine, scope: { write } })
    return told(results) + lines.join('')
  } catch (error) {
    return (error as Error).message.replace(/@[-\d:]+/g, '@')
  }
}

function told(results: readonly PlainResult[]): string {
  const tables = results.flatMap(({ name, tables }) =>
    tables.map(({ key, columns, rows }) => [name, [...key], columns, rows.map((row) => [...row])]),
  )
  return JSON.stringify(tables, (_, cell) => (typeof cell === 'bigint' ? `${cell}n` : cell))
}

async function agree(chain: string): Promise<string> {
  const script = `from(bucket: "b") |> ${chain}`
  const batched = await exactly(imports + script)
  const single = await exactly(imports + off + script)
  let same = 0
  while (same < batched.length && batched[same] === single[same]) same++
  const around = [Math.max(same - 300, 0), same + 100] as const
  expect(batched.slice(...around), chain).toBe(single.slice(...around))
  return batched
}

it('each function gives the same', async () => {
  let length = 0
  for (const source of [sources[0], sources[4]]) {
    for (const step of steps) length += (await agree(`${source} |> ${step}`)).length
  }
  expect(length).toBeGreaterThan(200_000)
})

it('so do chains of them, seed 3', async () => {
  const random = seededRandom(3)
  let failures = 0
  for (let i = 0; i < 80; i++) {
    const chain = [sources[random.below(sources.length)]]
    const length = 2 + random.below(3)
    for (let j = 0; j < length; j++) chain.push(steps[random.below(steps.length)])
    const answer = await agree(chain.join(' |> '))
    if (!answer.startsWith('[')) failures++
  }
  // Most chains make sense.
  expect(failures).toBeLessThan(60)
})
