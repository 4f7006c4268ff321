// What the planner tells the store must not change an answer: each script runs as planned and with all
// rules turned off, over the same random points in several states of the engine, and both must agree.

import { expect, it } from 'vitest'
import type { ReadRequest, Store } from '../../src/store/store.js'
import { type EngineWorld, languageStates } from '../store/engine-states.js'
import { openWorld, outcome, turnedOff } from './planned-scripts.js'
import { runFlux, runRows, storeWith } from './run-flux.js'

const filters = [
  'r._measurement == "cpu"',
  'r._measurement == "cpu" and r._field == "usage"',
  'r._measurement == "cpu" and r.host != "a"',
  'r._measurement == "cpu" and not (r.host == "a")',
  'r.host =~ /^[ab]$/ and r._field != "msg"',
  'r._measurement == "cpu" and r.host !~ /a/',
  'r._measurement == "cpu" and exists r.region',
  'r._measurement == "cpu" and not exists r.region',
  'r._measurement == "cpu" and (r.host == "a" or r.region == "west")',
  'r._measurement == "cpu" and not (r.host == "a" or r.region == "west")',
  'r._measurement == "cpu" and not (r.host == "a" and r.region == "east")',
  'r._field == "usage" and r._value > 60.0',
  'r._field == "usage" and not (r._value > 60.0)',
  'r._field == "procs" and r._value <= 3 and r.host == wanted',
  'r._field == "usage" and (r._value < 10.0 or r.host == "b")',
  'r._field == "msg" and r._value =~ /m[1-4]/',
  'r._field == "msg" and r._value == "m3"',
  'r._field == "ok" and r._value == true',
  'r._field == "free" and contains(value: r.host, set: ["a", "d"])',
  'r._field == "usage" and r._time > 1970-01-14T23:00:00Z and r.host == "c"',
  'r._measurement > "cpu" and r._field < "n"',
  'r._measurement =~ /o/ and r._field == "usage"',
  'r.host == "" and r._field == "usage"',
  'r.host != "" and r._field == "usage"',
  'true and r._field == "usage"',
  'r._field == "usage" and 60.0 < r._value',
]

const ranges = [
  'start: 1970-01-14T22:00:00Z, stop: 1970-01-15T02:00:00Z',
  'start: 1970-01-14T22:31:07Z, stop: 1970-01-15T01:17:03.5Z',
  'start: 1970-01-14T20:00:00Z, stop: 1970-01-14T22:00:00.5Z',
]

const numbers = 'r._measurement == "cpu" and r._field =~ /usage|procs/'

const chains = [
  '',
  '|> limit(n: 3)',
  '|> limit(n: 4, offset: 2)',
  '|> sort(columns: ["_time"], desc: true) |> limit(n: 2)',
  '|> sort(columns: ["_time"])',
  '|> sort(columns: ["_time"], desc: true) |> first()',
  ...['count', 'sum', 'mean', 'min', 'max', 'first', 'last'].flatMap((fn) => [
    `|> ${fn}()`,
    `|> aggregateWindow(every: 7m, fn: ${fn})`,
    `|> aggregateWindow(every: 10m, fn: ${fn}, createEmpty: false)`,
    `|> aggregateWindow(every: 25m, offset: 3m, fn: ${fn}, timeSrc: "_start")`,
    `|> window(every: 30m) |> ${fn}()`,
  ]),
  '|> aggregateWindow(every: 15m, period: 30m, fn: mean, createEmpty: false)',
  '|> aggregateWindow(every: 1mo, fn: sum)',
  '|> aggregateWindow(every: 9m, fn: max, timeDst: "t")',
  '|> aggregateWindow(every: 9m, fn: (column, tables=<-) => tables |> spread(column: column))',
  '|> count() |> group() |> sum()',
  '|> filter(fn: (r) => r._value > 5.0 or r.host == "a") |> count()',
  '|> filter(fn: (r) => r._value > 5, onEmpty: "keep") |> count()',
]

const groupChains = ['count', 'sum', 'min', 'max', 'first', 'last', 'mean'].flatMap((fn) => [
  `|> group() |> ${fn}()`,
  `|> group(columns: ["host"]) |> ${fn}()`,
  `|> group(columns: ["region", "_field", "_start"]) |> ${fn}()`,
  `|> group(columns: ["host"], mode: "except") |> ${fn}()`,
  `|> group(columns: ["region"]) |> aggregateWindow(every: 20m, fn: ${fn})`,
  `|> group(columns: ["_field", "_start", "_stop"])
    |> aggregateWindow(every: 9m, offset: 1m, fn: ${fn}, createEmpty: false, timeSrc: "_start")`,
])

const pivot = 'pivot(rowKey: ["_time"], columnKey: ["_field"], valueColumn: "_value")'

const pivots = [
  `|> ${pivot}`,
  `|> ${pivot} |> filter(fn: (r) => r.usage > 60.0)`,
  `|> ${pivot} |> map(fn: (r) => ({_time: r._time, v: float(v: r.procs) / r.usage, h: r.host}))`,
  `|> ${pivot} |> group(columns: ["region"]) |> sum(column: "procs")`,
  '|> pivot(rowKey: ["_time", "_start", "_stop"], columnKey: ["_field"], valueColumn: "_value")',
  '|> pivot(rowKey: ["_time"], columnKey: ["host", "_field"], valueColumn: "_value")',
  `|> limit(n: 3) |> ${pivot}`,
  `|> sort(columns: ["_time"], desc: true) |> ${pivot}`,
]

/** Sums that are exact and sums that are not, a tag that some series lack, a record that takes the key's place. */
const reductions = [
  ['({n: accumulator.n + 1, sum: accumulator.sum + float(v: r._value)})', '{n: 0, sum: 0.0}'],
  ['({n: if r.host == "b" then accumulator.n + 1 else accumulator.n})', '{n: 0}'],
  ['({n: if r._value > accumulator.n then r._value else accumulator.n})', '{n: -100}'],
  ['({n: accumulator.n * 9007199254740991 + r._value})', '{n: 1}'],
  ['({n: accumulator.n + r._value * 0.25})', '{n: 0.0}'],
  ['({n: if r._time > 1970-01-14T23:00:00Z then accumulator.n + 1 else accumulator.n})', '{n: 0}'],
  ['({region: r.region, n: accumulator.n + 1})', '{region: "", n: 0}'],
  ['({host: "all", n: accumulator.n + 1})', '{host: "", n: 0}'],
].flatMap(([record, identity]) => {
  const reduce = `|> reduce(fn: (r, accumulator) => ${record}, identity: ${identity})`
  return [
    reduce,
    `|> limit(n: 3) ${reduce}`,
    `|> sort(columns: ["_time"], desc: true) ${reduce}`,
    `|> group() ${reduce}`,
    `|> group(columns: ["region"]) ${reduce}`,
    `|> group(columns: ["host", "_field"]) ${reduce}`,
    `|> group(columns: ["_start"]) ${reduce}`,
  ]
})

/** What the nodes give by themselves: the points are the same in all states, and so is what is to be answered. */
const answers = new Map<string, string>()

it.each(languageStates)('agrees with the nodes run one after the other: $name', async (state) => {
  const world = await openWorld(state, 7)
  const read = (range: string, filter: string) =>
    `wanted = "b"
     from(bucket: "b") |> range(${range}) |> filter(fn: (r) => ${filter})`
  const scripts = [
    ...pivots.flatMap((pivot) => [
      `${read(ranges[0], 'r._measurement == "cpu"')} ${pivot}`,
      `${read(ranges[1], 'r.host != "b" and r._measurement =~ /cpu|log/')} ${pivot}`,
      `${read(ranges[2], 'r._field == "usage" and r._value > 60.0 or r._field == "procs"')} ${pivot}`,
    ]),
    ...reductions.map((reduction, i) => {
      const filter = ['r._field == "procs"', 'r._field == "usage"', 'r._measurement == "cpu"'][
        i % 3
      ]
      return `${read(ranges[1], filter)} ${reduction}`
    }),
    ...ranges.map((range) => `from(bucket: "b") |> range(${range})`),
    ...filters.map((filter) => read(ranges[1], filter)),
    ...filters.map((filter) => `${read(ranges[0], filter)} |> last()`),
    ...chains.map((chain) => `${read(ranges[1], numbers)} ${chain}`),
    ...chains.map((chain) => `${read(ranges[2], 'r._field == "usage"')} ${chain}`),
    ...chains.slice(1, 6).map((chain) => `${read(ranges[0], 'r._field == "free"')} ${chain}`),
    `${read(ranges[0], 'r._field == "free"')} |> yield(name: "raw") |> mean()`,
    `${read(ranges[0], 'r._field == "procs" and r._value < 9007199254740993')} |> limit(n: 2)`,
    ...['count', 'first', 'last', 'min', 'sum'].map(
      (fn) =>
        `${read(ranges[0], 'r._measurement == "log"')} |> aggregateWindow(every: 1h, fn: ${fn})`,
    ),
    ...groupChains.map((chain) => `${read(ranges[0], 'r._field == "procs"')} ${chain}`),
    ...groupChains.map((chain) => `${read(ranges[0], 'r._field == "usage"')} ${chain}`),
    `${read(ranges[0], 'r._measurement == "cpu"')} |> group(columns: ["host"]) |> sum()`,
  ]
  let length = 0
  for (const script of scripts) {
    const planned = await outcome(script, world)
    let expected = answers.get(script)
    if (expected === undefined) {
      expected = await outcome(turnedOff + script, world)
      answers.set(script, expected)
    }
    expect(planned, script).toBe(expected)
    length += planned.length
  }
  expect(length).toBeGreaterThan(100_000)
  await world.close()
})

/** What a script asks the store to read. */
async function requestsOf(script: string, world: EngineWorld): Promise<ReadRequest[]> {
  const requests: ReadRequest[] = []
  const store = new Proxy<Store>(world.engine, {
    get(engine, name) {
      if (name !== 'read') {
        const member = engine[name as keyof Store] as unknown
        return typeof member === 'function' ? member.bind(engine) : member
      }
      return (request: ReadRequest, signal: AbortSignal) => {
        requests.push(request)
        return engine.read(request, signal)
      }
    },
  })
  await runFlux(script, { store })
  return requests
}

const points = `m,host=a x=1,y=2 1000000000
m,host=b x=3 61000000000
n,host=c x=4 62000000000`

const cpu = 'from(bucket: "b") |> range(start: 0, stop: 120)'

it('lets the store do what it can', async () => {
  const world = await storeWith(points)
  const asked = (script: string) => requestsOf(script, world)
  const windows = await asked(
    `${cpu} |> filter(fn: (r) => r._measurement == "m") |> aggregateWindow(every: 1m, fn: mean)`,
  )
  expect(windows).toHaveLength(1)
  expect(windows[0].window).toEqual({
    everyNs: 60_000_000_000n,
    offsetNs: 0n,
    pointTimes: false,
    aggregates: ['x', 'y'].map((field) => ({ field, function: 'mean' })),
  })
  const [last] = await asked(`${cpu} |> filter(fn: (r) => r.host == "b") |> last()`)
  expect(last.window?.aggregates[0]).toEqual({ field: 'x', function: 'last' })
  expect(last.predicate).toEqual({ kind: 'tag', tag: 'host', op: '=', value: 'b' })
  const [newest] = await asked(
    `${cpu} |> filter(fn: (r) => r._measurement == "n")
      |> sort(columns: ["_time"], desc: true) |> limit(n: 1)`,
  )
  expect(newest).toMatchObject({ descending: true, limitPerSeries: 1 })
  const yielded = await asked(`${cpu} |> yield(name: "raw") |> max()`)
  expect(yielded.map(({ window }) => window !== undefined)).toEqual([false, false, true, true])
  const [grouped] = await asked(`${cpu} |> group(columns: ["host"]) |> max()`)
  expect(grouped.window?.everyNs).toBeUndefined()
  expect(grouped.window?.aggregates).toHaveLength(2)
  const [means] = await asked(
    `${cpu} |> filter(fn: (r) => r._measurement == "n") |> group(columns: ["host"])
      |> aggregateWindow(every: 1m, fn: mean)`,
  )
  expect(means.window?.aggregates.map((each) => each.function)).toEqual(['sum', 'count'])
  const [split] = await asked(
    `${cpu} |> filter(fn: (r) => r._measurement == "n") |> window(every: 1m) |> max()`,
  )
  expect(split.window).toMatchObject({ everyNs: 60_000_000_000n, pointTimes: true })
  const off = await asked(`${turnedOff}${cpu} |> filter(fn: (r) => r.host == "b") |> last()`)
  expect(off[0].window).toBeUndefined()
  expect(off[0].predicate).toBeUndefined()
  await world.close()
})

it('counts rows where it is asked which values a tag has in a range', async () => {
  const world = await storeWith(points)
  const answers: readonly (readonly [string, readonly (string | null)[]])[] = [
    [`${cpu} |> group() |> distinct(column: "host")`, ['a', 'b', 'c']],
    [`${cpu} |> group() |> distinct(column: "rack")`, [null]],
    [
      'from(bucket: "b") |> range(start: 30, stop: 120) |> group() |> distinct(column: "host")',
      ['b', 'c'],
    ],
  ]
  for (const [script, expected] of answers) {
    const requests = await requestsOf(script, world)
    const functions = requests.map(({ window }) => window?.aggregates[0].function)
    expect(new Set(functions), script).toEqual(new Set(['count']))
    const rows = await runRows(script, { store: world.engine })
    expect(
      rows.map((row) => row._value),
      script,
    ).toEqual(expected)
  }
  await world.close()
})

it('answers questions about names without reading points', async () => {
  const world = await storeWith(points)
  const schema = 'import "influxdata/influxdb/schema" '
  const answers: readonly (readonly [string, readonly (string | null)[]])[] = [
    ['schema.measurements(bucket: "b", start: 0)', ['m', 'n']],
    ['schema.tagValues(bucket: "b", tag: "host", start: 0)', ['a', 'b', 'c']],
    [
      'schema.measurementTagValues(bucket: "b", measurement: "m", tag: "host", start: 0)',
      ['a', 'b'],
    ],
    ['schema.fieldKeys(bucket: "b", predicate: (r) => r.host == "c", start: 0)', ['x']],
    ['schema.measurementFieldKeys(bucket: "b", measurement: "n", start: 0)', ['x']],
    [
      'schema.measurementTagKeys(bucket: "b", measurement: "m", start: 0)',
      ['_start', '_stop', '_field', '_measurement', 'host'],
    ],
    ['schema.tagValues(bucket: "b", tag: "nothing", start: 0)', []],
  ]
  for (const [script, names] of answers) {
    expect(await requestsOf(schema + script, world), script).toEqual([])
    const results = await runFlux(schema + script, { store: world.engine })
    const values = results.flatMap(({ tables }) => tables.flatMap(({ rows }) => rows))
    expect(
      values.map((row) => row.get('_value')),
      script,
    ).toEqual(names)
  }
  const unknown = 'schema.tagValues(bucket: "b", tag: "nothing", start: 0)'
  const general = await runFlux(`${schema}\n${turnedOff}${unknown}`, { store: world.engine })
  expect(general.flatMap(({ tables }) => tables)).toEqual([])
  expect(
    await runRows(
      `import "influxdata/influxdb"
       influxdb.cardinality(bucket: "b", start: 1970-01-01, predicate: (r) => r._measurement == "m")`,
      { store: world.engine },
    ),
  ).toMatchObject([{ _value: 2n }])
  await world.close()
})

it('can be stopped while it fills in windows that nothing lies in', async () => {
  const world = await storeWith(points)
  const script = `${cpu} |> aggregateWindow(every: 1ns, fn: mean) |> count()`
  const stop = new AbortController()
  const reason = new Error('stopped')
  setTimeout(() => stop.abort(reason), 50)
  const { signal } = stop
  await expect(runFlux(script, { store: world.engine, signal })).rejects.toBe(reason)
  await world.close()
})

it('tells how long a query and its operations took', async () => {
  const world = await storeWith(points)
  const results = await runFlux(
    `import "profiler" option profiler.enabledProfilers = ["query", "operator"] ${cpu} |> max()`,
    { store: world.engine },
  )
  expect(results.map(({ name }) => name)).toEqual(['_result', '_profiler'])
  const [query, operators] = results[1].tables
  expect(query.key.get('_measurement')).toBe('profiler/query')
  expect(query.rows[0].get('TotalDuration')).toBe(0n)
  expect(Number(query.rows[0].get('EstimatedValues'))).toBeGreaterThan(0)
  expect(query.rows[0].get('SharedByThreads')).toBe(false)
  expect(operators.rows.map((row) => row.get('Type'))).toEqual(['universe.max'])
  expect(operators.rows[0].get('Count')).toBe(5n)
  await world.close()
})

it('reduces groups as they are read', async () => {
  const world = await storeWith(points)
  const results = await runFlux(
    `import "profiler" option profiler.enabledProfilers = ["operator"] ${cpu} |> group(columns: ["host"])
      |> reduce(fn: (r, accumulator) => ({n: accumulator.n + r._value}), identity: {n: 0.0})`,
    { store: world.engine },
  )
  const [{ tables }, profile] = results
  expect(tables.flatMap(({ rows }) => rows).map((row) => row.get('n'))).toEqual([3, 3, 4])
  const operators = profile.tables.flatMap(({ rows }) => rows).map((row) => row.get('Type'))
  expect(operators).toEqual(['universe.reduce'])
  await world.close()
})

it('finds groups by tags, wherever their names stand and whichever a series has', async () => {
  const world = await storeWith(
    [
      'm,Zone=1,host=a,zone=x v=1i 1000000000',
      'm,Zone=11,host=b v=2i 1000000000',
      'm,Zone=1,host=1b,zone=y v=3i 2000000000',
      'm,host=a,zone=x v=4i 2000000000',
      'm,_time=t,host=a v=5i 3000000000',
      'm,Zone=1,host=b w=6i 1000000000',
      'n,Zone=1,host=a v=7i 1000000000',
    ].join('\n'),
  )
  const add = 'reduce(fn: (r, accumulator) => ({n: accumulator.n + r._value}), identity: {n: 0})'
  const groupings = [
    '["Zone"]',
    '["Zone", "host"]',
    '["host", "_measurement"]',
    '["zone", "_stop"]',
  ]
  for (const columns of groupings) {
    for (const made of [add, 'last()', 'mean()', 'aggregateWindow(every: 1m, fn: sum)']) {
      const script = `from(bucket: "b") |> range(start: 0, stop: 120) |> filter(fn: (r) => r._field == "v")
        |> group(columns: ${columns}) |> ${made}`
      const planned = await outcome(script, world)
      expect(planned, script).toBe(await outcome(turnedOff + script, world))
      expect(planned.length).toBeGreaterThan(100)
    }
  }
  await world.close()
})

it('streams series that are too long to be held, field by field', async () => {
  const count = 150_000
  const lines = Array.from({ length: count }, (_, i) => {
    const both = i % 3 === 0 ? `x=${i}i` : `x=${i}i,y=${i}.5`
    return `m,host=a ${both} ${i}000`
  })
  lines.push('m,host=a,rack=1 x=1i,y=1 5000', 'm,host=b y=7 5000')
  const world = await storeWith(lines.join('\n'))
  await world.engine.flush()
  const options = { store: world.engine }
  const read = `${turnedOff}from(bucket: "b") |> range(start: 0, stop: 1)`
  const answer = async (chain: string) =>
    (await runRows(`${read} ${chain} |> group()`, options)).map(({ host, rack, _field, _value }) =>
      [host, rack ?? '', _field, _value].join(' '),
    )
  expect(await answer('|> count()')).toEqual([
    'a  x 150000',
    'a  y 100000',
    'a 1 x 1',
    'a 1 y 1',
    'b  y 1',
  ])
  expect((await answer('|> filter(fn: (r) => r._field == "x") |> difference() |> max()'))[0]).toBe(
    'a  x 1',
  )
  expect((await answer('|> toFloat() |> difference() |> min()')).slice(0, 2)).toEqual([
    'a  x 1',
    'a  y 1',
  ])
  // Nobody reads the rest of a table: the next one comes all the same.
  expect(await answer('|> toFloat() |> limit(n: 1)')).toEqual([
    'a  x 0',
    'a  y 1.5',
    'a 1 x 1',
    'a 1 y 1',
    'b  y 7',
  ])
  const windows = await runRows(
    `from(bucket: "b") |> range(start: 0, stop: 1)
      |> aggregateWindow(every: 1us, fn: last, createEmpty: false) |> count()`,
    options,
  )
  expect(windows.map(({ _value }) => _value)).toEqual([BigInt(count), 100_000n, 1n, 1n, 1n])
  await world.close()
})
