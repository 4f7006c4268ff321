// `keep`, `drop` and `map` that are taken into a read must not change an answer: each script runs as planned and with
// every rule turned off, over random points in several states of the engine, and both agree to the row, to the word
// and place of an error. Then: that they are taken in, and what that spares.

import { describe, expect, it } from 'vitest'
import { type Random, seededRandom } from '../../src/platform/random.js'
import { type EngineWorld, languageStates } from '../store/engine-states.js'
import { openWorld, outcome, rules } from './planned-scripts.js'
import { runFlux, storeWith } from './run-flux.js'

const everyRule = [...rules, 'VectorizeRowFunctionRule', 'ShortcutRule']

/** Of as many lines for any list, so that places in the script are the same. */
const without = (names: readonly string[]) => `import "planner"
option planner.disablePhysicalRules = [${names.map((name) => `"${name}"`).join(', ')}]
`

async function expectSame(script: string, world: EngineWorld): Promise<string> {
  const planned = await outcome(without(['']) + script, world, true)
  expect(planned, script).toBe(await outcome(without(everyRule) + script, world, true))
  return planned
}

const range =
  'from(bucket: "b") |> range(start: 1970-01-14T22:31:07Z, stop: 1970-01-15T01:17:03.5Z)'
const of = (filter: string) => `${range} |> filter(fn: (r) => ${filter})`

const sources = [
  of('r._field == "usage"'),
  of('r._field == "procs"'),
  of('r._field == "msg"'),
  of('r._measurement == "cpu"'),
  of('r._measurement == "cpu" and r._field == "usage" and exists r.host and exists r.region'),
  of('r._measurement == "cpu" and r._field == "usage" and r.host == "a"'),
  of('r._measurement == "nothing"'),
  range,
]

const reads = [
  '',
  '|> limit(n: 3)',
  '|> sort(columns: ["_time"], desc: true) |> limit(n: 2)',
  '|> last()',
  '|> count()',
  '|> aggregateWindow(every: 25m, fn: max, createEmpty: false)',
  '|> aggregateWindow(every: 25m, fn: count)',
  '|> aggregateWindow(every: 40m, fn: last, timeSrc: "_start")',
  '|> group(columns: ["host"]) |> max()',
  '|> group(columns: ["host", "_field"]) |> aggregateWindow(every: 1h, fn: last)',
]

const choices = [
  '|> keep(columns: ["_time", "_value", "host"])',
  '|> keep(columns: ["_time", "_value", "host", "region", "_field", "_measurement"])',
  '|> keep(columns: ["host"])',
  '|> keep(columns: ["_time"])',
  '|> keep(columns: ["_value"])',
  '|> keep(columns: [])',
  '|> keep(fn: (column) => column =~ /^_(time|value|field)/)',
  '|> drop(columns: ["_start", "_stop"])',
  '|> drop(columns: ["_value"])',
  '|> drop(columns: ["_time", "host", "none"])',
  '|> drop(fn: (column) => column == "_value" or column == "region")',
  '|> drop(fn: (column) => 1 / (if column == "region" then 0 else 1) == 0)',
  '|> drop(columns: ["region"]) |> drop(columns: ["host"])',
  '|> drop(columns: ["_start", "_stop"]) |> keep(columns: ["_time", "_value", "_field"])',
  '|> drop(columns: ["_measurement", "_start"]) |> drop(columns: ["_time"]) |> sort(columns: ["_value"])',
]

const maps = [
  '|> map(fn: (r) => ({r with _value: r._value * 2.0 + 1.0}))',
  '|> map(fn: (r) => ({r with _value: r._value * 3 - 7}))',
  '|> map(fn: (r) => ({r with twice: r._value + r._value, isA: r.host == "a"}))',
  '|> map(fn: (r) => ({_time: r._time, host: r.host, _value: r._value}))',
  '|> map(fn: (r) => ({_time: r._time, host: "x", _value: r._value}))',
  '|> map(fn: (r) => ({r with host: "x"}))',
  '|> map(fn: (r) => ({r with _field: "x"}))',
  '|> map(fn: (r) => ({r with _value: if exists r.host then r._value else r._value}))',
  '|> map(fn: (r) => ({r with late: r._time > 1970-01-15T00:00:00Z}))',
  '|> map(fn: (r) => ({r with label: string(v: r._value)}))',
  '|> map(fn: (r) => ({r with _value: r._value / 0}))',
  '|> map(fn: (r) => ({_value: 1}))',
  '|> drop(columns: ["host"]) |> map(fn: (r) => ({r with host: "x", _value: 2.0}))',
  '|> drop(columns: ["_field"]) |> map(fn: (r) => ({r with _value: 2.0}))',
  '|> map(fn: (r) => ({r with x: r._value * factor})) |> keep(columns: ["_time", "x"])',
  '|> map(fn: (r) => ({r with x: r.host})) |> drop(columns: ["host", "_field"]) |> map(fn: (r) => ({r with y: r.x}))',
  '|> drop(columns: ["host"]) |> map(fn: (r) => ({r with x: r._value})) |> drop(columns: ["_value", "region"])',
  '|> map(fn: (r) => ({r with x: r._value})) |> map(fn: (r) => ({r with y: r.x, _value: r._time}))',
]

const fixed = 'factor = 0.5\n'

/** Each state has some of the scripts, of all kinds. */
it.each(languageStates.map((state, number) => ({ ...state, number })))(
  'agrees with the functions one after the other: $name',
  async (state) => {
    const world = await openWorld(state, 7)
    const scripts = sources.flatMap((source) =>
      reads.flatMap((read) => [...choices, ...maps].map((steps) => `${source} ${read} ${steps}`)),
    )
    let length = 0
    for (let i = state.number; i < scripts.length; i += 13) {
      length += (await expectSame(fixed + scripts[i], world)).length
    }
    expect(length).toBeGreaterThan(100_000)
    await world.close()
  },
)

const columns = [
  '_time',
  '_value',
  '_field',
  '_measurement',
  'host',
  'region',
  '_start',
  '_stop',
  'x',
]

function someColumns(random: Random): string {
  const some = columns.filter(() => random.below(2) === 0)
  return `[${some.map((name) => `"${name}"`).join(', ')}]`
}

function one<T>(random: Random, values: readonly T[]): T {
  return values[random.below(values.length)]
}

/** Any function that may stand in such a chain; some of them fail where others before have left a column out. */
function randomLink(random: Random): string {
  switch (random.below(12)) {
    case 0:
    case 1:
      return `|> keep(columns: ${someColumns(random)})`
    case 2:
      return `|> drop(columns: ${someColumns(random)})`
    case 3:
      return `|> ${one(random, ['keep', 'drop'])}(fn: (column) => column =~ /${one(random, ['^_', 'e', '_t|_v'])}/)`
    case 4:
    case 5:
    case 6:
      return one(random, maps)
    case 7:
      return `|> filter(fn: (r) => ${one(random, ['r.host == "b"', 'exists r.region', 'r._field != "procs"'])})`
    case 8:
      return `|> sort(columns: ["${one(random, columns)}"], desc: ${one(random, ['true', 'false'])})`
    case 9:
      return `|> limit(n: ${1 + random.below(9)}${one(random, ['', ', offset: 2'])})`
    case 10:
      return `|> group(columns: ${someColumns(random)})`
    default: {
      const fn = one(random, ['count', 'max', 'first', 'last', 'mean', 'sum'])
      return one(random, [`|> ${fn}()`, `|> aggregateWindow(every: 35m, fn: ${fn})`])
    }
  }
}

it.each([1, 2, 3, 4])('agrees for random chains, seed %i', async (seed) => {
  const world = await openWorld(one(seededRandom(seed), languageStates), seed)
  const random = seededRandom(seed)
  let rows = 0
  for (let i = 0; i < 80; i++) {
    const links = Array.from({ length: 1 + random.below(5) }, () => randomLink(random))
    const script = `${fixed}${one(random, sources)} ${links.join(' ')}`
    rows += (await expectSame(script, world)).startsWith('[') ? 1 : 0
  }
  // Some fail, as they should, but not all.
  expect(rows).toBeGreaterThan(25)
  expect(rows).toBeLessThan(80)
  await world.close()
})

/** What the operator profiler says ran, from the last on. */
async function operators(
  script: string,
  world: EngineWorld,
  off: readonly string[] = [''],
): Promise<unknown[]> {
  const profiled = `import "profiler"
${without(off)}
option profiler.enabledProfilers = ["operator"]
${script}`
  const results = await runFlux(profiled, { store: world.engine })
  const profile = results.find(({ name }) => name === '_profiler')
  return profile!.tables.flatMap(({ rows }) => rows.map((row) => row.get('Label')))
}

const points = `m,host=a,rack=1 x=1,y=2i 1000000000
m,host=b,rack=1 x=3 61000000000
n,host=c x=4 62000000000`

const all = 'from(bucket: "b") |> range(start: 0, stop: 120)'
const onlyX = `${all} |> filter(fn: (r) => r._measurement == "m" and r._field == "x")`
const twice = '|> map(fn: (r) => ({r with _value: r._value * 2.0}))'

describe('the profiler', () => {
  const read = 'merged_from_range_filter'
  const window = 'window_mean_fill_duplicate_window'
  it.each([
    ['|> keep(columns: ["_time", "_value", "host"])', [`${read}_keep0`]],
    ['|> drop(fn: (column) => column =~ /^_s/)', [`${read}_drop0`]],
    ['|> drop(columns: ["_start"]) |> drop(columns: ["_stop"])', [`${read}_drop_drop0`]],
    [twice, [`${read}_map0`]],
    [`|> aggregateWindow(every: 1m, fn: mean) ${twice}`, [`${read}_${window}_map0`]],
    [
      `|> aggregateWindow(every: 1m, fn: mean) ${twice} |> keep(columns: ["_time", "_value", "host"])`,
      [`${read}_${window}_map_keep0`],
    ],
    [`|> last() |> drop(columns: ["host"])`, [`${read}_last_drop0`]],
    [
      '|> group(columns: ["host"]) |> max() |> keep(columns: ["host", "_value"])',
      [`${read}_group_max_keep0`],
    ],
    [`|> limit(n: 1) ${twice}`, [`${read}_limit_map0`]],
    // Tables would meet twice, in an order that one meeting does not have.
    ['|> drop(columns: ["rack"]) |> drop(columns: ["host"])', ['drop0', `${read}_drop1`]],
    // The key changes with the rows.
    ['|> map(fn: (r) => ({r with host: "x"}))', ['map0', `${read}1`]],
    ['|> map(fn: (r) => ({r with _field: "x"}))', ['map0', `${read}1`]],
    ['|> map(fn: (r) => ({r with s: string(v: r._value)}))', [`${read}_map0`]],
    // A text that gets too long is for the function to refuse.
    ['|> map(fn: (r) => ({r with s: r.host + "x"}))', ['map0', `${read}1`]],
    ['|> keep(columns: ["_value"]) |> sum()', ['sum0', `${read}_keep1`]],
  ])('shows what was taken in: %s', async (chain, labels) => {
    const world = await storeWith(points)
    expect(await operators(`${onlyX} ${chain}`, world)).toEqual(labels)
    await world.close()
  })

  it.each([
    ['PushDownColumnsRule', '|> keep(columns: ["_value"])', ['keep0', `${read}1`]],
    ['PushDownMapRule', twice, ['map0', `${read}1`]],
    ['VectorizeRowFunctionRule', twice, ['map0', `${read}1`]],
  ])('shows that a rule is off: %s', async (name, chain, labels) => {
    const world = await storeWith(points)
    expect(await operators(onlyX + chain, world, [name])).toEqual(labels)
    await world.close()
  })

  it('leaves tag values to the index, with the rule for columns and without it', async () => {
    const world = await storeWith(points)
    const script = `${all} |> keep(columns: ["host"]) |> group() |> distinct(column: "host")`
    const labels = ['merged_from_range_keep_group_distinct0']
    expect(await operators(script, world)).toEqual(labels)
    expect(await operators(script, world, ['PushDownColumnsRule'])).toEqual(labels)
    await world.close()
  })
})

it('puts an error where the function that fails is', async () => {
  const world = await storeWith(points)
  const failing = `${all}
  |> map(fn: (r) => ({r with _value: r._value * 2.0}))
  |> keep(columns: ["_time", "_value", "host"])`
  const told = await expectSame(failing, world)
  expect(told).toContain('@4:6-4:55: map: failed to evaluate map function')
  expect(told).toContain('int * float')
  const colliding = `${all}
  |> limit(n: 1)
  |> keep(columns: ["_time", "_value", "host"])
  |> limit(n: 1)`
  expect(await expectSame(colliding, world)).toContain(
    '@5:6-5:48: keep: schema collision detected: column "_value" is both of type int and float',
  )
  await world.close()
})

describe('what need not be held', () => {
  const lines = (field: (i: number) => string) =>
    Array.from({ length: 40_000 }, (_, i) => `m,host=h${i >> 12} ${field(i)} ${i}000`).join('\n')
  const under = (bytes: number, world: EngineWorld) => ({
    store: world.engine,
    limits: { memoryBytesMax: bytes },
  })
  const rest = '|> group() |> limit(n: 1)'

  it('texts that nobody looks at are not decoded', async () => {
    const world = await storeWith(lines((i) => `s="${'long text '.repeat(20)}${i}"`))
    await world.engine.flush()
    const script = `from(bucket: "b") |> range(start: 0, stop: 1) |> keep(columns: ["_time"]) ${rest}`
    const options = under(700_000, world)
    expect((await runFlux(script, options))[0].tables[0].rows).toHaveLength(1)
    await expect(runFlux(without(everyRule) + script, options)).rejects.toThrow('memory')
    await world.close()
  })

  it('tables that cannot meet leave as they come', async () => {
    const world = await storeWith(lines((i) => `f=${i}`))
    await world.engine.flush()
    const script = `from(bucket: "b") |> range(start: 0, stop: 1)
      |> keep(columns: ["_time", "_value", "host"]) |> last()`
    const options = under(400_000, world)
    expect((await runFlux(script, options))[0].tables).toHaveLength(10)
    await expect(runFlux(without(everyRule) + script, options)).rejects.toThrow('memory')
    await world.close()
  })
})
