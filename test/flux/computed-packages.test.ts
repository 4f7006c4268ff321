// Packages that compute from tables that they are given: dynamic values, PromQL's functions, events, models. The values
// come from the documentation or are worked out by hand. What computes from values alone is in corpus/flux/values.

import { expect, it, test } from 'vitest'
import { fluxError, runFlux, runRows, storeWith, testBucket } from './run-flux.js'

const imports = `
import "array"
import "contrib/anaisdg/anomalydetection"
import "contrib/anaisdg/statsmodels"
import "contrib/bonitoo-io/tickscript"
import "contrib/tomhollingworth/events"
import "experimental"
import "experimental/dynamic"
import "experimental/oee"
import "experimental/prometheus"
import "internal/debug"
import "internal/gen"
import "internal/promql"
`

it('takes dynamic values apart row by row', async () => {
  const script = `${imports}
array.from(rows: [{s: "{\\"n\\": 1, \\"tags\\": [\\"a\\", \\"b\\"]}"}, {s: "{\\"n\\": 2, \\"tags\\": []}"}])
    |> map(fn: (r) => {
        d = dynamic.jsonParse(data: bytes(v: r.s))

        return {n: int(v: d.n), count: length(arr: d.tags |> dynamic.asArray())}
    })`
  expect(await runRows(script)).toEqual([
    { count: 2n, n: 1n },
    { count: 0n, n: 2n },
  ])
})

/** Samples of one series, ten seconds apart from 12:00:00 on, in a range of a minute; null: no value. */
function samples(...values: (number | null)[]): string {
  const rows = values.map((value, i) => {
    const shown = value === null ? 'debug.null(type: "float")' : `float(v: "${value}")`
    return `{_time: 2024-01-01T12:00:${i}0Z, _value: ${shown}}`
  })
  return `${imports}
array.from(rows: [${rows.join(', ')}])
    |> set(key: "job", value: "api-1")
    |> range(start: 2024-01-01T12:00:00Z, stop: 2024-01-01T12:01:00Z)
    |> group(columns: ["_start", "_stop", "job"])`
}

async function values(script: string): Promise<unknown[]> {
  return (await runRows(script)).map(({ _value }) => _value)
}

test.each([
  ['changes()', [1, 1, null, 2, 1], 2],
  ['changes()', [5], 0],
  ['resets()', [1, 5, 2, 2, 1], 2],
  ['instantRate()', [1, 4, 2], -2],
  ['instantRate(isRate: true)', [1, 4, 24], 2],
  ['instantRate(isRate: true)', [1, 4, 2], 0.2],
  // Samples reach from the start to ten seconds before the end: those ten seconds are carried on.
  ['extrapolatedRate()', [0, 1, 2, 3, 4, 5], 6],
  ['extrapolatedRate(isCounter: true, isRate: true)', [10, 20, 30, 40, 50, 60], 1],
  ['extrapolatedRate(isCounter: true)', [10, 20, 5, 15, 25, 35], 54],
  ['linearRegression()', [1, 2, 3, 4], 0.1],
  ['linearRegression(predict: true, fromNow: 10.0)', [1, 2, 3, 4], 8],
  ['holtWinters(smoothingFactor: 0.5, trendFactor: 0.5)', [1, 2, 3], 3],
  ['holtWinters(smoothingFactor: 0.5, trendFactor: 0.1)', [0, 10, 10, 10], 17.25],
] as const)('promql.%s of %j', async (call, given, expected) => {
  const [value] = await values(`${samples(...given)} |> promql.${call}`)
  expect(value).toBeCloseTo(expected as number, 10)
})

it('leaves out series with too few samples', async () => {
  for (const call of ['instantRate()', 'extrapolatedRate()', 'linearRegression()']) {
    const results = await runFlux(`${samples(1)} |> promql.${call}`)
    expect(results.flatMap(({ tables }) => tables)).toEqual([])
  }
})

it('refuses factors that smooth nothing', async () => {
  const script = `${samples(1, 2)} |> promql.holtWinters(smoothingFactor: 1.5, trendFactor: 0.5)`
  expect(await fluxError(script)).toContain(
    'invalid smoothing factor. Expected: 0 < sf < 1, got: 1.500000',
  )
})

it('makes labels of labels', async () => {
  const replace = (regex: string, replacement: string): string => `${samples(1, 2)}
    |> promql.labelReplace(source: "job", destination: "kind", regex: "${regex}", replacement: "${replacement}")
    |> drop(columns: ["_start", "_stop"])`
  const labelled = { job: 'api-1', kind: 'api', _value: 1 }
  const script = replace('(.*)-\\\\d', '$1')
  expect(await runRows(script)).toEqual([labelled, { ...labelled, _value: 2 }])
  const [unchanged] = await runRows(replace('api', 'x'))
  expect(unchanged).toEqual({ job: 'api-1', _value: 1 })
  expect(await fluxError(replace('(', ''))).toContain(
    'invalid regular expression in label_replace(): (',
  )
})

it('tells times as values, and has a table without any', async () => {
  expect(await values(`${samples(0, 0)} |> promql.timestamp()`)).toEqual([1704110400, 1704110410])
  const [{ tables }] = await runFlux(`${imports}\npromql.emptyTable()`)
  expect(tables.map(({ columns, rows }) => [columns.map(({ name }) => name), rows.length])).toEqual(
    [[['_start', '_stop', '_time', '_value'], 0]],
  )
})

it('answers quantiles outside of 0 to 1 with infinities', async () => {
  expect(await values(`${samples(1, 2, 3)} |> promql.quantile(q: -1.0)`)).toEqual([-Infinity])
  expect(await values(`${samples(1, 2, 3)} |> promql.quantile(q: 2.0)`)).toEqual([Infinity])
  expect(await values(`${samples(1, 2, 3)} |> promql.quantile(q: 0.5)`)).toEqual([2])
})

it('finds quantiles of scraped histograms in both forms', async () => {
  const inTags = `${imports}
array.from(rows: [{le: "1", _value: 1.0}, {le: "2", _value: 3.0}, {le: "+Inf", _value: 4.0}])
    |> map(fn: (r) => ({r with _field: "f", _time: 2024-01-01T00:00:00Z}))
    |> group(columns: ["le"])
    |> prometheus.histogramQuantile(quantile: 0.5)`
  expect(await runRows(inTags)).toMatchObject([{ _value: 1.5, quantile: '0.5' }])
  const inFields = `${imports}
array.from(rows: [{_field: "1", _value: 1.0}, {_field: "2", _value: 3.0}, {_field: "sum", _value: 9.0}])
    |> map(fn: (r) => ({r with le: "", _time: 2024-01-01T00:00:00Z}))
    |> group(columns: ["_field"])
    |> prometheus.histogramQuantile(quantile: 0.5, metricVersion: 1)`
  expect(await runRows(inFields)).toMatchObject([{ _value: 1.25, quantile: '0.5' }])
  expect(await fluxError(inTags.replace('0.5)', '0.5, metricVersion: 3)'))).toContain(
    'Invalid metricVersion. Available versions are 1 and 2.',
  )
})

it('tells how long events lasted', async () => {
  const script = `${samples(1, 2, 3)} |> drop(columns: ["_value", "job"]) |> events.duration()`
  expect((await runRows(script)).map(({ duration }) => duration)).toEqual([10n, 10n, 40n])
  const inMs = script.replace(
    'duration()',
    'duration(unit: 1ms, columnName: "ms", stop: 2024-01-01T12:00:21Z)',
  )
  expect((await runRows(inMs)).map(({ ms }) => ms)).toEqual([10_000n, 10_000n, 1_000n])
  expect(await fluxError(script.replace('duration()', 'duration(stopColumn: "x")'))).toContain(
    'column "x" does not exist',
  )
  expect(await fluxError(script.replace('duration()', 'duration(columnName: "_time")'))).toContain(
    'table builder already has column with label _time',
  )
})

it('works out how effective equipment is', async () => {
  const script = `${imports}
array.from(rows: [
    {_time: 2024-01-01T00:00:00Z, state: "running", partCount: 0, badCount: 0},
    {_time: 2024-01-01T06:00:00Z, state: "stopped", partCount: 90, badCount: 9},
    {_time: 2024-01-01T07:00:00Z, state: "running", partCount: 90, badCount: 9},
])
    |> range(start: 2024-01-01T00:00:00Z, stop: 2024-01-01T08:00:00Z)
    |> oee.APQ(runningState: "running", plannedTime: 8h, idealCycleTime: 4m)`
  const [row] = await runRows(script)
  expect(row.availability).toBeCloseTo(7 / 8, 12)
  expect(row.performance).toBeCloseTo(360 / 420, 12)
  expect(row.quality).toBeCloseTo(0.9, 12)
  expect(row.oee).toBeCloseTo(((7 / 8) * (360 / 420) * 9) / 10, 12)
})

it('draws a line through values', async () => {
  const script = `${samples(1, 3, 5, 7)} |> statsmodels.linearRegression()`
  const rows = await runRows(script)
  expect(rows.map(({ slope, y_hat, errors }) => [slope, y_hat, errors])).toEqual([
    [2, 1, 0],
    [2, 3, 0],
    [2, 5, 0],
    [2, 7, 0],
  ])
})

it('marks series that stray from the others', async () => {
  const script = `${imports}
array.from(rows: [
    {host: "a", _value: 1.0}, {host: "b", _value: 2.0}, {host: "c", _value: 3.0}, {host: "d", _value: 30.0},
])
    |> map(fn: (r) => ({r with _time: 2024-01-01T00:00:00Z}))
    |> group(columns: ["host"])
    |> anomalydetection.mad(threshold: 3.0)
    |> keep(columns: ["host_diff", "host", "level", "_value"])`
  const rows = await runRows(script)
  expect(rows.map(({ level }) => level)).toEqual(['normal', 'normal', 'normal', 'anomaly'])
  expect(rows.map(({ _value }) => _value)).toEqual([1.5, 0.5, 0.5, 27.5])
})

it('classifies the values of a day by those behind it', async () => {
  const row = (day: number, airborne: number, value: number): string =>
    `{_time: 2020-01-0${day}T12:00:00Z, airborne: ${airborne}, _value: ${value}, Animal_name: "x", ${where}}`
  const where = '_field: "aquatic", _measurement: "zoo"'
  const training = [row(2, 0, 0), row(2, 0, 0), row(3, 0, 1), row(3, 1, 0)]
  const script = `
import "array"
import "contrib/RohanSreerama5/naiveBayesClassifier"
array.from(rows: [${[...training, row(1, 9, 0)].join(', ')}])
    |> naiveBayesClassifier.naiveBayes(myClass: "airborne", myField: "aquatic", myMeasurement: "zoo")
    |> group()
    |> sort(columns: ["airborne_P_k_x_class"])`
  const rows = await runRows(script)
  // Of three 0s two belong to class 0 and one to class 1.
  expect(rows.map((each) => each.airborne_P_k_x_class)).toEqual([0n, 1n])
  expect(rows[0].Probability).toBeCloseTo(2 / 3, 12)
  expect(rows[1].Probability).toBeCloseTo(1 / 3, 12)
})

it('watches over a stream that is silent', async () => {
  const world = await storeWith('m,host=a v=1 1704110400000000000')
  const script = (measurement: string): string => `${imports}
option now = () => 2024-01-01T12:01:00Z
check = tickscript.defineCheck(id: "c1", name: "watch")
from(bucket: "b")
    |> range(start: -5m)
    |> filter(fn: (r) => r._measurement == "${measurement}")
    |> pivot(rowKey: ["_time"], columnKey: ["_field"], valueColumn: "_value")
    |> group(columns: ["_measurement"])
    |> tickscript.deadman(check: check, measurement: "${measurement}", threshold: 0)
    |> keep(columns: ["dead", "_level", "_message", "_check_name"])`
  const scope = { bucket: async () => testBucket, write: async () => undefined }
  const run = (measurement: string) => runRows(script(measurement), { store: world.engine, scope })
  expect(await run('none')).toMatchObject([
    { dead: true, _level: 'crit', _message: 'Deadman Check: watch is: dead' },
  ])
  expect(await run('m')).toMatchObject([{ dead: false, _level: 'ok' }])
  await world.close()
})

it('reads a bucket in one call', async () => {
  const world = await storeWith(
    ['m,host=a v=1,w=2 1704110400000000000', 'm,host=b v=3 1704110401000000000', 'n v=9 1'].join(
      '\n',
    ),
  )
  const select = (where: string): string => `
import "contrib/jsternberg/influxdb"
influxdb.select(from: "b", start: 2024-01-01T00:00:00Z, m: "m"${where})`
  const options = { store: world.engine }
  expect(await runRows(select(', where: (r) => r.host == "a"'), options)).toEqual([
    { _time: 1704110400000000000n, host: 'a', v: 1, w: 2 },
  ])
  expect(await runRows(select(', fields: ["v"]'), options)).toEqual([
    { _time: 1704110400000000000n, host: 'a', v: 1 },
    { _time: 1704110401000000000n, host: 'b', v: 3 },
  ])
  const inBucket = `
import "experimental/query"
start = 2024-01-01T00:00:00Z
isB = (r) => r.host == "b"
query.inBucket(bucket: "b", measurement: "m", start: start, fields: ["v"], predicate: isB)`
  expect((await runRows(inBucket, options)).map(({ _value }) => _value)).toEqual([3])
  await world.close()
})

it('generates the same series for the same seed', async () => {
  const tables = `${imports}
gen.tables(n: 3, nulls: 0.5, seed: 9, tags: [{name: "t", cardinality: 2}, {name: "u", cardinality: 3}])`
  const [first] = await runFlux(tables)
  expect(first.tables.length).toBe(6)
  expect(first.tables.every(({ rows }) => rows.length === 3)).toBe(true)
  const cells = first.tables.flatMap(({ rows }) => rows.map((row) => row.get('_value')))
  expect(cells).toContain(null)
  expect(cells.some((value) => typeof value === 'number')).toBe(true)
  const again = await runFlux(tables)
  expect(again).toEqual([first])
  const many = tables.replace('cardinality: 2', 'cardinality: 20000000')
  expect(await fluxError(many)).toContain('series are too many')
})

it('compares columns of nulls with columns of any type', async () => {
  const diff = (want: string, got: string): string => `${imports}
experimental.diff(want: array.from(rows: [{x: 1, v: ${want}}]), got: array.from(rows: [{x: 1, v: ${got}}]))`
  expect(await runRows(diff('2.0', 'debug.null(type: "float")'))).toEqual([
    { _diff: '-', v: 2, x: 1n },
    { _diff: '+', v: null, x: 1n },
  ])
  expect(await runFlux(diff('debug.null(type: "bool")', 'debug.null(type: "int")'))).toEqual([])
})

it('swallows a stream', async () => {
  expect(await runFlux(`${samples(1)} |> debug.sink()`)).toEqual([])
})
