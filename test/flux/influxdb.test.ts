// The packages around buckets: what is written by `to` and `wideTo` is read back, and what they refuse
// they refuse in the real service's words; secrets, tasks, databases, statuses.

import { expect, it } from 'vitest'
import { UserError } from '../../src/errors.js'
import type { FluxScope } from '../../src/flux/context/scope.js'
import { fluxError, type RunOptions, runFlux, runRows, storeWith, testBucket } from './run-flux.js'

/** A scope that keeps what is written to it. */
function keeping(more: Partial<FluxScope> = {}): { options: RunOptions; lines: () => string[] } {
  const written: string[] = []
  const scope: Partial<FluxScope> = {
    bucket: async ({ bucket }, action) => {
      if (bucket !== 'b' && bucket !== 'out' && bucket !== '_monitoring') {
        throw new UserError('not found', `no bucket ${bucket}`)
      }
      if (action === 'write' && bucket === 'b')
        throw new UserError('forbidden', 'not to be written')
      return testBucket
    },
    write: async (_, bytes) => void written.push(Buffer.from(bytes).toString()),
    ...more,
  }
  return { options: { scope }, lines: () => written.join('').split('\n').slice(0, -1) }
}

async function linesOf(script: string): Promise<string[]> {
  const { options, lines } = keeping()
  await runFlux(script, options)
  return lines()
}

const rows = 'import "array"'

it('writes rows as points: measurement, tags, field and time from their columns', async () => {
  expect(
    await linesOf(`${rows}
      array.from(rows: [
        {_time: time(v: 1), _measurement: "m, 1", _field: "f", _value: 1.5, host: "a b", zone: "x=y", n: 3},
        {_time: time(v: 2), _measurement: "m, 1", _field: "f g", _value: -0.25, host: "", zone: "\\\\", n: 4},
      ]) |> to(bucket: "out")`),
  ).toEqual(['m\\,\\ 1,host=a\\ b,zone=x\\=y f=1.5 1', 'm\\,\\ 1 f\\ g=-0.25 2'])
})

it('writes once, however many streams are made of what was written', async () => {
  const { options, lines } = keeping()
  const row = '_measurement: "m", _field: "f", host:'
  const results = await runFlux(
    `${rows} import "join"
    written = array.from(rows: [
        {_time: time(v: 1), ${row} "a", _value: 1}, {_time: time(v: 2), ${row} "b", _value: 2},
      ]) |> group(columns: ["host"]) |> to(bucket: "out")
    more = written |> map(fn: (r) => ({r with _value: r._value * 10}))
    written |> yield(name: "written")
    more |> count() |> yield(name: "count")
    more |> sum() |> yield(name: "sum")
    join.inner(left: written, right: more, on: (l, r) => l.host == r.host,
      as: (l, r) => ({l with right: r._value})) |> yield(name: "joined")`,
    options,
  )
  expect(lines()).toEqual(['m,host=a f=1i 1', 'm,host=b f=2i 2'])
  const valuesOf = (name: string, column = '_value') => {
    const tables = results.find((each) => each.name === name)?.tables ?? []
    return tables.flatMap((table) => table.rows.map((row) => Object.fromEntries(row)[column]))
  }
  expect(valuesOf('written')).toEqual([1n, 2n])
  expect(valuesOf('count')).toEqual([1n, 1n])
  expect(valuesOf('sum')).toEqual([10n, 20n])
  expect(valuesOf('joined', 'right')).toEqual([10n, 20n])
})

it('cannot be made to write other lines than one per row', async () => {
  expect(
    await linesOf(`${rows}
      array.from(rows: [{_time: time(v: 1), _measurement: "m\\nn x=1 1", _field: "f\\n", _value: "a\\"b\\nc",
        host: "x y=1\\nm f=2"}]) |> to(bucket: "out")`),
  ).toEqual(['m\\nn\\ x=1\\ 1,host=x\\ y\\=1\\nm\\ f\\=2 f\\n="a\\"b', 'c" 1'])
})

it('prints every type, and leaves out what cannot be written', async () => {
  expect(
    await linesOf(`${rows} import "internal/debug" import "math"
      array.from(rows: [{_time: time(v: 1), m: "x", a: 1, b: uint(v: 2), c: true, d: "s", e: time(v: 9),
        f: math.NaN(), g: 2.0, k: "tag"}])
        |> map(fn: (r) => ({r with h: debug.null(type: "int")}))
        |> to(bucket: "out", measurementColumn: "m", fieldFn: (r) =>
          ({a: r.a, b: r.b, c: r.c, d: r.d, e: r.e, f: r.f, g: r.g, h: r.h}))`),
  ).toEqual(['x,k=tag a=1i,b=2u,c=true,d="s",e=9i,g=2 1'])
})

it('takes the tags that the call names', async () => {
  const script = (tags: string) => `${rows}
    array.from(rows: [{when: time(v: 1), _measurement: "m", _field: "f", _value: 1, a: "1", b: "2", c: 3}])
      |> to(bucket: "out", timeColumn: "when", tagColumns: [${tags}])`
  expect(await linesOf(script('"b"'))).toEqual(['m,b=2 f=1i 1'])
  expect(await linesOf(script(''))).toEqual(['m f=1i 1'])
  expect(await fluxError(script('"c"'), keeping().options)).toContain('invalid type for tag column')
})

it('hands on what it wrote, also to nobody', async () => {
  const { options, lines } = keeping()
  const script = `${rows} import "internal/debug"
    array.from(rows: [{_time: time(v: 1), _measurement: "m", _field: "f", _value: 1},
        {_time: time(v: 2), _measurement: "m", _field: "f", _value: 2}])
      |> map(fn: (r) => ({r with _time: if r._value == 2 then debug.null(type: "time") else r._time}))
      |> to(bucket: "out")`
  expect(await runRows(script, options)).toMatchObject([{ _value: 1n }])
  expect(lines()).toEqual(['m f=1i 1'])
  const some = keeping()
  await runFlux(
    `import "generate"
     generate.from(count: 12000, start: 1970-01-01T00:00:00Z, stop: 1970-01-02T00:00:00Z, fn: (n) => n)
      |> map(fn: (r) => ({r with _measurement: "m", _field: "f"})) |> to(bucket: "out") |> limit(n: 1)`,
    some.options,
  )
  expect(some.lines()).toHaveLength(12000)
})

it('refuses what it cannot write', async () => {
  const of = (cells: string, args = 'bucket: "out"') =>
    fluxError(`${rows} array.from(rows: [{${cells}}]) |> to(${args})`, keeping().options)
  const time = '_time: time(v: 1)'
  expect(await of(time)).toMatch(/: to: no column with label _measurement exists$/)
  expect(await of(`${time}, _measurement: 1`)).toContain(
    'column _measurement of type int is not of type string',
  )
  expect(await of('_measurement: "m"')).toContain('no time column detected')
  expect(await of('_measurement: "m", _time: 1')).toContain(
    'column _time of type int is not of type time',
  )
  expect(await of(`${time}, _measurement: "m"`)).toContain('table has no _field column')
  expect(await of(`${time}, _measurement: "m", _field: "f"`)).toContain(
    'table has no _value column',
  )
  const both = await of(`${time}, _measurement: "m"`, 'bucket: "out", bucketID: "x"')
  expect(both).toContain('cannot provide both `bucket` and `bucketID` parameters to the `to`')
  expect(await of(time, 'bucket: "other"')).toBe(
    'failed to initialize execute state: could not find bucket "other"',
  )
  expect(await of(time, 'bucket: "b"')).toContain('not to be written')
})

it('writes pivoted tables', async () => {
  const wide = (cells: string, key: string) => `${rows} import "influxdata/influxdb"
    array.from(rows: [{_time: time(v: 1), ${cells}}]) |> group(columns: [${key}])
      |> influxdb.wideTo(bucket: "out")`
  expect(
    await linesOf(
      wide('_measurement: "m", host: "a", x: 1, y: 2.5, z: "t"', '"_measurement", "host"'),
    ),
  ).toEqual(['m,host=a x=1i,y=2.5,z="t" 1'])
  const error = (cells: string, key: string) => fluxError(wide(cells, key), keeping().options)
  expect(await error('host: "a"', '"host"')).toContain(
    'required column "_measurement" not in group key',
  )
  expect(await error('_measurement: "m", _field: "f"', '"_measurement", "_field"')).toContain(
    'found column "_field" in the group key; wideTo() expects pivoted data',
  )
  expect(await error('_measurement: "m", n: 1', '"_measurement", "n"')).toContain(
    'group key column "n" has type int; type string is required',
  )
})

it('says what is missing before anything runs', async () => {
  expect(await fluxError('from(bucket: "b")')).toBe(
    'error in building plan while starting program: cannot submit unbounded read to "b"; ' +
      "try bounding 'from' with a call to 'range'",
  )
  expect(await fluxError('from(bucket: "b") |> filter(fn: (r) => true)')).toContain('unbounded')
  expect(await fluxError('from(bucket: "x") |> range(start: 0)')).toBe(
    'failed to initialize execute state: could not find bucket "x"',
  )
  expect(await fluxError('from() |> range(start: 0)')).toContain('must specify bucket or bucketID')
  expect(await fluxError('from(bucket: "b", bucketID: "c") |> range(start: 0)')).toContain(
    'must specify only one of bucket or bucketID',
  )
})

it('tells buckets, databases, secrets and the last success of a task', async () => {
  const scope: Partial<FluxScope> = {
    secret: async (key) => `the ${key}`,
    lastSuccess: 7n,
    databases: async () => [
      {
        database: 'db',
        retentionPolicy: 'autogen',
        retentionNs: 5n,
        isDefault: true,
        bucketId: testBucket,
        organizationId: 'o',
      },
    ],
  }
  const run = (script: string) => runRows(script, { scope })
  expect(await run('buckets() |> keep(columns: ["name", "retentionPeriod"])')).toEqual([
    { name: 'b', retentionPeriod: 0n },
  ])
  expect(await run('import "influxdata/influxdb/v1" v1.databases()')).toEqual([
    {
      organizationID: 'o',
      databaseName: 'db',
      retentionPolicy: 'autogen',
      retentionPeriod: 5n,
      default: true,
      bucketID: testBucket,
    },
  ])
  expect(
    await run(`import "array" import "influxdata/influxdb/secrets"
      array.from(rows: [{v: secrets.get(key: "k")}])`),
  ).toEqual([{ v: 'the k' }])
  const tasks = (before: string) =>
    run(`import "array" import "influxdata/influxdb/tasks" ${before}
      array.from(rows: [{v: int(v: tasks.lastSuccess(orTime: 1970-01-01T00:00:00.000000003Z))}])`)
  expect(await tasks('')).toEqual([{ v: 7n }])
  const option = 'option tasks.lastSuccessTime = 1970-01-01T00:00:00.000000005Z'
  expect(await tasks(option)).toEqual([{ v: 5n }])
})

it('reads the answers of InfluxQL', async () => {
  const answer = {
    results: [
      {
        series: [
          {
            name: 'cpu',
            tags: { host: 'a' },
            columns: ['time', 'x', 'y'],
            values: [
              ['1970-01-01T00:00:01Z', 1.5, null],
              ['1970-01-01T00:00:02Z', 2, 'text'],
            ],
          },
        ],
      },
    ],
  }
  const json = JSON.stringify(JSON.stringify(answer))
  const [{ tables }] = await runFlux(`import "influxdata/influxdb/v1" v1.json(json: ${json})`)
  expect(tables.map(({ key, rows: all }) => [key.get('_field'), all.length])).toEqual([
    ['x', 2],
    ['y', 1],
  ])
  expect(tables[0].rows[0].get('_value')).toBe(1.5)
  expect(await fluxError('import "influxdata/influxdb/v1" v1.json(json: "[]")')).toContain(
    'not the answer of an InfluxQL query',
  )
})

it('checks write statuses, and statuses are read back', async () => {
  const { options, lines } = keeping()
  const world = await storeWith('cpu,host=a usage=95 60000000000')
  await runFlux(
    `import "influxdata/influxdb/monitor" import "influxdata/influxdb/schema"
     from(bucket: "b") |> range(start: 0, stop: 1000) |> schema.fieldsAsCols()
      |> monitor.check(data: {_check_id: "1", _check_name: "c", _type: "threshold", tags: {team: "x"}},
        crit: (r) => r.usage > 90.0, messageFn: (r) => "\${r._check_name} is \${r._level}")`,
    { ...options, store: world.engine, now: '1970-01-01T00:20:00Z' },
  )
  expect(lines()).toHaveLength(1)
  expect(lines()[0]).toMatch(/^statuses,.*_level=crit,.*_source_measurement=cpu,.*team=x /)
  expect(lines()[0]).toContain('_message="c is crit"')
  expect(lines()[0]).toMatch(/_source_timestamp=60000000000i.* 1200000000000$/)
  await world.close()
})
