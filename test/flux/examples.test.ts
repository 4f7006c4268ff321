// An example or more for each function over tables of the universe and of the packages that scripts use most: small
// scripts over the tables of `sampledata`, and what the documentation says must come out of them, worked out by hand.
//
// The samples are six rows each, ten seconds apart, with the tags t1 and t2. As integers: -2 10 7 17 15 4 and 19 4 -3
// 19 13 1. What is shown of a table: the values of its key, and the cells of each row. Times are seconds since the
// first row.

import { describe, expect, test } from 'vitest'
import type { Cell, CellType } from '../../src/query/table.js'
import { type PlainTable, runFlux } from './run-flux.js'

const startNs = 1_609_459_200_000_000_000n

function cellText(cell: Cell | null, type: CellType): string {
  if (cell === null) return '-'
  if (type === 'time') return `${Number((cell as bigint) - startNs) / 1e9}s`
  return type === 'float' ? String(Number((cell as number).toFixed(4))) : String(cell)
}

function tableText({ columns, key, rows }: PlainTable, shown: readonly string[]): string {
  const typeOf = (name: string) => columns.find((column) => column.name === name)?.type ?? 'string'
  const text = (name: string, cell: Cell | null | undefined) =>
    cell === undefined ? '?' : cellText(cell, typeOf(name))
  const keyText = [...key]
    .filter(([name]) => name !== '_start' && name !== '_stop')
    .map(([name, cell]) => text(name, cell))
  const rowTexts = rows.map((row) => shown.map((name) => text(name, row.get(name))).join('/'))
  return `${keyText.join(',')}: ${rowTexts.join(' ')}`
}

const ints = 'sampledata.int()'
const bounded = 'sampledata.int() |> range(start: sampledata.start, stop: sampledata.stop)'
const withNulls = 'sampledata.int(includeNull: true)'

interface Example {
  readonly script: string
  readonly tables: readonly string[]
  readonly shown: readonly string[]
  readonly imports: readonly string[]
}

function example(
  script: string,
  tables: readonly string[],
  shown = '_value',
  imports: readonly string[] = [],
): Example {
  return { script, tables, shown: shown.split(' '), imports }
}

function runExamples(examples: readonly Example[]): void {
  test.each(examples)('$script', async ({ script, tables, shown, imports }) => {
    const lines = ['sampledata', ...imports].map((name) => `import "${name}"`)
    const [result] = await runFlux(`${lines.join('\n')}\n${script}`)
    expect((result?.tables ?? []).map((table) => tableText(table, shown))).toEqual(tables)
  })
}

describe('rows chosen', () => {
  runExamples([
    example(`${ints} |> first()`, ['t1: 0s/-2', 't2: 0s/19'], '_time _value'),
    example(`${ints} |> last()`, ['t1: 50s/4', 't2: 50s/1'], '_time _value'),
    example(`${ints} |> min()`, ['t1: 0s/-2', 't2: 20s/-3'], '_time _value'),
    example(`${ints} |> max()`, ['t1: 30s/17', 't2: 0s/19'], '_time _value'),
    example(`${ints} |> limit(n: 2, offset: 1)`, ['t1: 10 7', 't2: 4 -3']),
    example(`${ints} |> tail(n: 2)`, ['t1: 15 4', 't2: 13 1']),
    example(`${ints} |> tail(n: 2, offset: 1)`, ['t1: 17 15', 't2: 19 13']),
    example(`${ints} |> top(n: 2)`, ['t1: 17 15', 't2: 19 19']),
    example(`${ints} |> bottom(n: 2)`, ['t1: -2 4', 't2: -3 1']),
    example(`${ints} |> sort(desc: true)`, ['t1: 17 15 10 7 4 -2', 't2: 19 19 13 4 1 -3']),
    example(`${ints} |> sample(n: 3, pos: 1)`, ['t1: 10 15', 't2: 4 13']),
    example(`${ints} |> filter(fn: (r) => r._value > 14)`, ['t1: 17 15', 't2: 19 19']),
    example(`${ints} |> filter(fn: (r) => r._value > 18, onEmpty: "keep")`, ['t1: ', 't2: 19 19']),
    example(`${ints} |> unique()`, ['t1: -2 10 7 17 15 4', 't2: 19 4 -3 13 1']),
    example(`${ints} |> distinct()`, ['t1: -2 10 7 17 15 4', 't2: 19 4 -3 13 1']),
    example(`${ints} |> hourSelection(start: 0, stop: 0) |> limit(n: 1)`, ['t1: -2', 't2: 19']),
    example(`${ints} |> hourSelection(start: 9, stop: 17) |> count()`, ['t1: 0', 't2: 0']),
    example(`${ints} |> range(start: 2021-01-01T00:00:20Z, stop: 2021-01-01T00:00:40Z)`, [
      't1: 7 17',
      't2: -3 19',
    ]),
    example(`${ints} |> highestMax(n: 1, groupColumns: ["tag"])`, [': t2/19'], 'tag _value'),
    example(
      `${ints} |> highestAverage(n: 1, groupColumns: ["tag"])`,
      [': t2/8.8333'],
      'tag _value',
    ),
    example(`${ints} |> highestCurrent(n: 1, groupColumns: ["tag"])`, [': t1/4'], 'tag _value'),
    example(`${ints} |> lowestMin(n: 1, groupColumns: ["tag"])`, [': t2/-3'], 'tag _value'),
    example(`${ints} |> lowestAverage(n: 1, groupColumns: ["tag"])`, [': t1/8.5'], 'tag _value'),
    example(`${ints} |> lowestCurrent(n: 1, groupColumns: ["tag"])`, [': t2/1'], 'tag _value'),
  ])
})

describe('aggregates', () => {
  runExamples([
    example(`${ints} |> count()`, ['t1: 6', 't2: 6']),
    example(`${withNulls} |> count()`, ['t1: 6', 't2: 6']),
    example(`${ints} |> sum()`, ['t1: 51', 't2: 53']),
    example(`${withNulls} |> sum()`, ['t1: 9', 't2: 21']),
    example(`${ints} |> mean()`, ['t1: 8.5', 't2: 8.8333']),
    // Halfway between the third and the fourth of the sorted values.
    example(`sampledata.float() |> median()`, ['t1: 9.135', 't2: 9.415']),
    example(`sampledata.float() |> quantile(q: 0.99, method: "exact_selector")`, [
      't1: 17.53',
      't2: 19.85',
    ]),
    example(`sampledata.float() |> quantile(q: 0.5, method: "exact_mean")`, [
      't1: 9.135',
      't2: 9.415',
    ]),
    example(`${ints} |> spread()`, ['t1: 19', 't2: 22']),
    // The squares of the distances from the mean add up to 249.5 and 448.8333; five go into them.
    example(`${ints} |> stddev()`, ['t1: 7.064', 't2: 9.4745']),
    example(`${ints} |> stddev(mode: "population")`, ['t1: 6.4485', 't2: 8.649']),
    example(`${ints} |> mode()`, ['t1: -', 't2: 19']),
    // The root of six, times the cubes of the distances (-360, -76.5), by their squares to the power of 1.5.
    example(`${ints} |> skew()`, ['t1: -0.2238', 't2: -0.0197']),
    // Between two rows ten seconds apart lies half of their sum, ten times.
    example(`${bounded} |> integral(unit: 10s)`, ['t1: 50', 't2: 43']),
    // Up to the end of the range the line goes on as it went: to -7, and to -11.
    example(`${bounded} |> timeWeightedAvg(unit: 1s)`, ['t1: 8.0833', 't2: 6.3333']),
    example(
      `${ints} |> reduce(fn: (r, accumulator) => ({p: accumulator.p + r._value}), identity: {p: 0})`,
      ['t1: 51', 't2: 53'],
      'p',
    ),
    // A value that is less than the one before counts from zero; one below zero counts nothing.
    example(`${ints} |> increase()`, ['t1: 0 12 19 29 44 48', 't2: 0 4 4 26 39 40']),
    example(
      `sampledata.float() |> histogram(bins: [0.0, 10.0, 20.0])`,
      ['t1: 0/1 10/3 20/6', 't2: 0/1 10/3 20/6'],
      'le _value',
    ),
    example(
      `sampledata.float()
    |> histogram(bins: linearBins(start: 0.0, width: 10.0, count: 3,
      infinity: false), normalize: true)
    |> filter(fn: (r) => r.le == 10.0)`,
      ['t1: 0.5', 't2: 0.5'],
    ),
    example(
      `import "array"\narray.from(rows: [{le: 1.0, _value: 10.0}, {le: 2.0, _value: 30.0}])
    |> histogramQuantile(quantile: 0.5)`,
      [': 1.25'],
    ),
    example(
      `sampledata.float()
    |> map(fn: (r) => ({r with x: r._value * 2.0}))
    |> covariance(columns: ["_value", "x"], pearsonr: true)`,
      ['t1: 1', 't2: 1'],
    ),
    example(
      `cov(x: sampledata.float(), y: sampledata.float(),
      on: ["_time", "tag"])
    |> map(fn: (r) => ({_value: r._value > 0.0}))`,
      [': true true'],
    ),
    example('pearsonr(x: sampledata.float(), y: sampledata.float(), on: ["_time", "tag"])', [
      't1: 1',
      't2: 1',
    ]),
  ])
})

describe('row by row', () => {
  runExamples([
    example(`${ints} |> map(fn: (r) => ({r with _value: r._value * r._value}))`, [
      't1: 4 100 49 289 225 16',
      't2: 361 16 9 361 169 1',
    ]),
    example(`${ints} |> difference()`, ['t1: 12 -3 10 -2 -11', 't2: -15 -7 22 -6 -12']),
    example(`${ints} |> difference(nonNegative: true)`, ['t1: 12 - 10 - -', 't2: - - 22 - -']),
    example(`${ints} |> difference(keepFirst: true) |> limit(n: 2)`, ['t1: - 12', 't2: - -15']),
    example(`${ints} |> derivative(unit: 1s)`, [
      't1: 1.2 -0.3 1 -0.2 -1.1',
      't2: -1.5 -0.7 2.2 -0.6 -1.2',
    ]),
    example(`${ints} |> derivative(unit: 10s, nonNegative: true) |> limit(n: 2)`, [
      't1: 12 -',
      't2: - -',
    ]),
    example(`${ints} |> cumulativeSum()`, ['t1: -2 8 15 32 47 51', 't2: 19 23 20 39 52 53']),
    example(`${ints} |> elapsed() |> limit(n: 2)`, ['t1: 10 10', 't2: 10 10'], 'elapsed'),
    example(`${ints} |> movingAverage(n: 3)`, [
      't1: 5 11.3333 13 12',
      't2: 6.6667 6.6667 9.6667 11',
    ]),
    // Two thirds of a new value, one third of what was; the first is the mean of two.
    example(`${ints} |> exponentialMovingAverage(n: 2)`, [
      't1: 4 6 13.3333 14.4444 7.4815',
      't2: 11.5 1.8333 13.2778 13.0926 5.0309',
    ]),
    // Twice the average of 6 (1.8333), less the average of it and the one before: 5 (6.6667).
    example(`${ints} |> doubleEMA(n: 2) |> limit(n: 1)`, ['t1: 7', 't2: -3']),
    example(`${ints} |> tripleEMA(n: 2) |> count()`, ['t1: 3', 't2: 3']),
    example(`${ints} |> tripleExponentialDerivative(n: 2) |> count()`, ['t1: 2', 't2: 2']),
    // Steps of 12, -3, 10, -2 and of -15, -7, 22, -6: ups less downs by all of them.
    example(`${ints} |> chandeMomentumOscillator(n: 4) |> limit(n: 1)`, ['t1: 62.963', 't2: -12']),
    // The first value is a step from zero; a quarter of the fifth step is added to three quarters of the averages.
    example(`${ints} |> relativeStrengthIndex(n: 4) |> limit(n: 1)`, [
      't1: 74.1573',
      't2: 57.7465',
    ]),
    example(`${ints} |> kaufmansER(n: 4) |> limit(n: 1)`, ['t1: 0.6296', 't2: 0.12']),
    example(`${ints} |> kaufmansAMA(n: 4) |> count()`, ['t1: 2', 't2: 2']),
    example(
      `${ints} |> stateCount(fn: (r) => r._value > 5)`,
      ['t1: -1 1 2 3 4 -1', 't2: 1 -1 -1 1 2 -1'],
      'stateCount',
    ),
    example(
      `${ints} |> stateDuration(fn: (r) => r._value > 5, unit: 1s)`,
      ['t1: -1 0 10 20 30 -1', 't2: 0 -1 -1 0 10 -1'],
      'stateDuration',
    ),
    example(
      `${ints} |> stateTracking(fn: (r) => r._value > 5, countColumn: "n", durationColumn: "d", durationUnit: 10s)`,
      ['t1: -1/-1 1/0 2/1 3/2 4/3 -1/-1', 't2: 1/0 -1/-1 -1/-1 1/0 2/1 -1/-1'],
      'n d',
    ),
    example(`${withNulls} |> fill(value: 0)`, ['t1: -2 0 7 0 0 4', 't2: 0 4 -3 19 0 1']),
    example(`${withNulls} |> fill(usePrevious: true)`, ['t1: -2 -2 7 7 7 4', 't2: - 4 -3 19 19 1']),
    example(
      `${ints} |> timeShift(duration: 30s) |> limit(n: 2)`,
      ['t1: 30s 40s', 't2: 30s 40s'],
      '_time',
    ),
    example(
      `${ints} |> truncateTimeColumn(unit: 1m) |> limit(n: 2)`,
      ['t1: 0s 0s', 't2: 0s 0s'],
      '_time',
    ),
    example(`${ints} |> limit(n: 2) |> toFloat()`, ['t1: -2 10', 't2: 19 4']),
    example(`${ints} |> limit(n: 2) |> toString()`, ['t1: -2 10', 't2: 19 4']),
    example(`${ints} |> limit(n: 1, offset: 1) |> toUInt()`, ['t1: 10', 't2: 4']),
    example('sampledata.float() |> limit(n: 2) |> toInt()', ['t1: -2 10', 't2: 19 4']),
    example('sampledata.numericBool() |> toBool()', [
      't1: true true false true false false',
      't2: false true false true true false',
    ]),
    example(
      `${ints}
    |> limit(n: 1, offset: 1)
    |> map(fn: (r) => ({r with _value: ${startNs} + r._value * 1000000000}))
    |> toTime()`,
      ['t1: 10s', 't2: 4s'],
    ),
    example(
      `${ints} |> limit(n: 1) |> set(key: "color", value: "red")`,
      ['t1: red', 't2: red'],
      'color',
    ),
    example('sampledata.float() |> holtWinters(n: 2, interval: 10s) |> count()', [
      't1: 2',
      't2: 2',
    ]),
  ])
})

describe('tables and columns', () => {
  runExamples([
    example(`${ints} |> group() |> sum()`, [': 104']),
    example(
      `${ints} |> group(columns: ["_value"]) |> count(column: "tag") |> filter(fn: (r) => r.tag > 1)`,
      ['4: 2', '19: 2'],
      'tag',
    ),
    example(`${ints} |> keep(columns: ["_value"]) |> count()`, [': 12']),
    example(`${ints} |> drop(columns: ["tag", "_time"]) |> sum()`, [': 104']),
    example(
      `${ints} |> rename(columns: {_value: "v"}) |> limit(n: 1)`,
      ['t1: ?/-2', 't2: ?/19'],
      '_value v',
    ),
    example(
      `${ints} |> rename(fn: (column) => column + "2") |> limit(n: 1)`,
      ['t1: -2', 't2: 19'],
      '_value2',
    ),
    example(
      `${ints} |> duplicate(column: "tag", as: "name") |> limit(n: 1)`,
      ['t1: t1/-2', 't2: t2/19'],
      'name _value',
    ),
    example(`${ints} |> columns() |> filter(fn: (r) => r._value != "tag")`, [
      't1: _time _value',
      't2: _time _value',
    ]),
    example(`${ints} |> keys()`, ['t1: tag', 't2: tag']),
    example(
      `${ints} |> keyValues(keyColumns: ["tag"])`,
      ['t1: tag/t1', 't2: tag/t2'],
      '_key _value',
    ),
    example(
      `${ints} |> pivot(rowKey: ["_time"], columnKey: ["tag"], valueColumn: "_value") |> limit(n: 2)`,
      [': -2/19 10/4'],
      't1 t2',
    ),
    example(`union(tables: [${ints} |> first(), ${ints} |> last()])`, ['t1: -2 4', 't2: 19 1']),
    example(
      `join(tables: {a: ${ints} |> first(), b: sampledata.string() |> first()}, on: ["tag", "_time"])`,
      ['t1: -2/smpl_g9qczs', 't2: 19/smpl_b5eida'],
      '_value_a _value_b',
    ),
    example(`${bounded} |> window(every: 30s) |> sum()`, ['t1: 15', 't1: 36', 't2: 20', 't2: 33']),
    example(
      `${bounded} |> aggregateWindow(every: 20s, fn: sum)`,
      ['t1: 20s/8 40s/24 60s/19', 't2: 20s/23 40s/16 60s/14'],
      '_time _value',
    ),
    example(
      `${bounded} |> aggregateWindow(every: 30s, fn: max, timeSrc: "_start")`,
      ['t1: 0s/10 30s/17', 't2: 0s/19 30s/19'],
      '_time _value',
    ),
    example(`${bounded} |> timedMovingAverage(every: 30s, period: 30s)`, [
      't1: 5 12',
      't2: 6.6667 11',
    ]),
    example(`${ints} |> yield(name: "again") |> first()`, [
      't1: -2 10 7 17 15 4',
      't2: 19 4 -3 19 13 1',
    ]),
  ])
})

describe('other packages of tables', () => {
  const wide =
    'array.from(rows: [{_time: 2021-01-01T00:00:00Z, a: 1}, {_time: 2021-01-01T00:00:10Z, a: 5}])'
  runExamples([
    example(`${wide} |> sum(column: "a")`, [': 6'], 'a', ['array']),
    example('csv.from(csv: "tag,_value\\nx,1\\ny,2", mode: "raw")', [': x/1 y/2'], 'tag _value', [
      'csv',
    ]),
    example(
      'generate.from(count: 3, fn: (n) => n * n, start: sampledata.start, stop: sampledata.stop)',
      [': 0s/0 20s/1 40s/4'],
      '_time _value',
      ['generate'],
    ),
    example(
      `sampledata.float()
    |> range(start: sampledata.start, stop: 2021-01-01T00:00:20Z)
    |> interpolate.linear(every: 5s)`,
      ['t1: -2.18 4.37 10.92', 't2: 19.85 12.41 4.97'],
      '_value',
      ['interpolate'],
    ),
    example(
      `join.inner(left: sampledata.int()
    |> first(),
      right: sampledata.int()
    |> last(),
      on: (l, r) => l.tag == r.tag,
      as: (l, r) => ({l with last: r._value}))`,
      ['t1: -2/4', 't2: 19/1'],
      '_value last',
      ['join'],
    ),
    example(
      `join.left(left: sampledata.int()
    |> first(),
      right: sampledata.int()
    |> filter(fn: (r) => r._value > 18)
    |> last(),
      on: (l, r) => l.tag == r.tag,
      as: (l, r) => ({l with top: r._value}))
    |> group()
    |> sort(columns: ["tag"])`,
      [': - 19'],
      'top',
      ['join'],
    ),
    example(
      `join.time(left: sampledata.int()
    |> first(),
      right: sampledata.float()
    |> first(),
      as: (l, r) => ({l with f: r._value}))`,
      ['t1: -2.18', 't2: 19.85'],
      'f',
      ['join'],
    ),
    example(
      `${ints}
    |> experimental.group(columns: ["_time"], mode: "extend")
    |> limit(n: 1)
    |> filter(fn: (r) => r._value > 18)`,
      ['0s,t2: 19', '30s,t2: 19'],
      '_value',
      ['experimental'],
    ),
    example(
      `${ints} |> limit(n: 1) |> experimental.set(o: {color: "red", size: "big"})`,
      ['t1: red/big', 't2: red/big'],
      'color size',
      ['experimental'],
    ),
    example(
      `${bounded}
    |> experimental.alignTime(alignTo: 1970-01-01T00:00:00Z)
    |> limit(n: 2)
    |> map(fn: (r) => ({r with s: int(v: r._time) / 1000000000}))`,
      ['t1: 0 10', 't2: 0 10'],
      's',
      ['experimental'],
    ),
    example(`${ints} |> experimental.kaufmansAMA(n: 4) |> count()`, ['t1: 2', 't2: 2'], '_value', [
      'experimental',
    ]),
    example(
      `sampledata.float() |> experimental.quantile(q: 0.5, method: "exact_selector")`,
      ['t1: 7.35', 't2: 4.97'],
      '_value',
      ['experimental'],
    ),
    example(`${ints} |> limit(n: 0) |> table.fill()`, ['t1: -', 't2: -'], '_value', [
      'experimental/table',
    ]),
  ])
})
