// Random Flux over the points of random-data.ts, as dashboards and tasks write it: a read, and a few steps behind it.

import type { Random } from '../../src/platform/random.js'
import { measurements, spanSeconds, tagValues, weeks } from '../influxql/random-data.js'

const pivot = 'pivot(rowKey: ["_time"], columnKey: ["_field"], valueColumn: "_value")'
const aggregates = ['count', 'sum', 'mean', 'min', 'max', 'first', 'last', 'spread', 'median']

export class RandomScripts {
  readonly #random: Random

  constructor(random: Random) {
    this.#random = random
  }

  next(): string {
    const read = this.#read()
    const kinds = [
      () => `${read}${this.#steps()}${this.#aggregate()}${this.#steps()}`,
      () => `${read}${this.#group()}${this.#aggregate()}${this.#steps()}`,
      () => `${read}${this.#windows()}${this.#steps()}`,
      () => `${read}${this.#group()}${this.#windows()}${this.#aggregate()}`,
      () => `${read}${this.#steps()}${this.#steps()}`,
      () => `${read} |> ${pivot}${this.#wide()}`,
      () => `${read}${this.#windows()} |> ${pivot}${this.#wide()}`,
      () => this.#several(read),
      () => `${this.#readOfTexts()}${this.#stepsOfTexts()}${this.#stepsOfTexts()}`,
      () => this.#distinctTags(),
      () => `${read}${this.#furtherSteps()}${this.#steps()}`,
      () => `${read}${this.#group()}${this.#furtherSteps()}`,
    ]
    return this.#pick(kinds)()
  }

  #pick<T>(choices: readonly T[]): T {
    return this.#random.pick(choices)
  }

  #read(): string {
    const fields = this.#pick(['r._field == "i"', 'r._field =~ /^[fu]$/', 'r._field =~ /^[fu]$/'])
    const filters = Array.from({ length: this.#random.below(3) }, () => this.#filter())
    return this.#readOf(fields, filters)
  }

  #readOfTexts(): string {
    const fields = this.#pick([
      'r._field == "s"',
      'r._field == "b"',
      '(r._field == "s" or r._field == "b")',
      'r._field != "u"',
    ])
    return this.#readOf(fields, [this.#filterOfTags()])
  }

  #readOf(fields: string, filters: readonly string[]): string {
    const start = this.#pick(weeks) + this.#random.below(spanSeconds / 2)
    const stop = start + this.#pick([3600, 20_000, 700_000])
    const where = `r._measurement == "${this.#pick(measurements)}" and ${fields}`
    return (
      `from(bucket: "b") |> range(start: ${this.#time(start)}, stop: ${this.#time(stop)})` +
      ` |> filter(fn: (r) => ${[where, ...filters].join(' and ')})`
    )
  }

  #time(seconds: number): string {
    return new Date(seconds * 1000).toISOString()
  }

  #filter(): string {
    return this.#pick([() => this.#filterOfTags(), () => 'float(v: r._value) > 0.0'])()
  }

  #filterOfTags(): string {
    const host = this.#pick(tagValues.host)
    return this.#pick([
      `r.host == "${host}"`,
      `r.host != "${host}"`,
      `r.host =~ /[${host}b]/`,
      'exists r.zone',
      'not exists r.zone',
      `(r.host == "${host}" or r.zone == "north")`,
      `contains(value: r.host, set: ["${host}", "c"])`,
    ])
  }

  #group(): string {
    return this.#pick([
      ' |> group()',
      ' |> group(columns: ["host"])',
      ' |> group(columns: ["zone", "_field"])',
      ' |> group(columns: ["_measurement", "host"])',
      ' |> group(columns: ["host", "_time"], mode: "except")',
      ' |> drop(columns: ["zone"])',
      ' |> keep(columns: ["_time", "_value", "host"])',
      ' |> drop(columns: ["host", "zone", "_start", "_stop"])',
    ])
  }

  #aggregate(): string {
    return ` |> ${this.#pick(aggregates)}()`
  }

  #windows(): string {
    const every = this.#pick(['1m', '7m', '1h', '1d', '1mo'])
    const options = this.#pick([
      '',
      '',
      ', createEmpty: false',
      ', timeSrc: "_start"',
      ', offset: 3s',
    ])
    const fn = this.#pick(aggregates)
    return this.#pick([
      ` |> aggregateWindow(every: ${every}, fn: ${fn}${options})`,
      ` |> aggregateWindow(every: ${every}, fn: ${fn}${options})`,
      ` |> window(every: ${every}) |> ${fn}() |> group(columns: ["host", "_field"])`,
      ` |> aggregateWindow(every: 7m, period: 21m, fn: ${fn}, createEmpty: false)`,
    ])
  }

  #steps(): string {
    return this.#pick([
      '',
      '',
      ` |> limit(n: ${this.#pick([1, 5])}${this.#pick(['', ', offset: 2'])})`,
      ' |> tail(n: 3)',
      ' |> sort(columns: ["_value"])',
      ` |> filter(fn: (r) => r.host != "${this.#pick(tagValues.host)}")`,
      ' |> map(fn: (r) => ({r with _value: float(v: r._value) * 2.0}))',
      ' |> map(fn: (r) => ({_time: r._time, h: r.host, _value: r._value}))',
      ' |> rename(columns: {host: "server"})',
      ' |> set(key: "site", value: "x")',
      ' |> distinct(column: "host")',
      ' |> unique(column: "zone")',
      ' |> toFloat()',
      ' |> difference()',
      ' |> derivative(unit: 1s, nonNegative: true)',
      ' |> cumulativeSum()',
      ' |> elapsed()',
      ' |> movingAverage(n: 2)',
      ' |> fill(usePrevious: true)',
      ' |> top(n: 2)',
      ' |> quantile(q: 0.5)',
      ' |> truncateTimeColumn(unit: 1m)',
      ' |> duplicate(column: "_value", as: "v")',
      ' |> timeShift(duration: 1h)',
      ' |> group(columns: ["host"])',
      ' |> group()',
      ' |> reduce(fn: (r, accumulator) => ({n: accumulator.n + 1}), identity: {n: 0})',
    ])
  }

  /** Steps that are rarer than those above. */
  #furtherSteps(): string {
    return this.#pick([
      ' |> stateCount(fn: (r) => float(v: r._value) > 0.0)',
      ' |> stateDuration(fn: (r) => float(v: r._value) > 0.0, unit: 1s)',
      ' |> toFloat() |> histogram(bins: [-100.0, 0.0, 100.0, 1000000.0])',
      ' |> timedMovingAverage(every: 1m, period: 5m)',
      ' |> exponentialMovingAverage(n: 3)',
      ' |> increase()',
      ' |> bottom(n: 2)',
      ' |> highestMax(n: 1, groupColumns: ["host"])',
      ' |> lowestAverage(n: 2, groupColumns: ["host", "_field"])',
      ' |> stddev()',
      ' |> skew()',
      ' |> mode()',
      ' |> toFloat() |> integral(unit: 1m)',
      ' |> toString() |> unique()',
      ' |> window(every: 5m) |> count() |> window(every: inf)',
      ' |> window(every: 5m, period: 10m) |> max()',
      ' |> keys()',
      ' |> columns()',
      ' |> tail(n: 2, offset: 1)',
      ' |> last() |> map(fn: (r) => ({r with age: 1}))',
      ' |> first(column: "host")',
      ' |> duplicate(column: "_time", as: "t") |> last(column: "t")',
      ' |> filter(fn: (r) => r._value > 0, onEmpty: "keep") |> count()',
      ' |> hourSelection(start: 1, stop: 3)',
      ' |> quantile(q: 0.9, method: "exact_selector")',
      ' |> quantile(q: 0.9, method: "exact_mean")',
      ' |> max() |> group() |> sort(columns: ["_value", "host", "_field"])',
      ' |> aggregateWindow(every: 1h, fn: (column, tables=<-) => tables |> quantile(q: 0.5, column: column))',
      ' |> aggregateWindow(every: 7m, fn: last, createEmpty: true) |> fill(usePrevious: true)',
      ' |> aggregateWindow(every: 1d, fn: mean, location: {zone: "Europe/Berlin", offset: 0h})',
    ])
  }

  #stepsOfTexts(): string {
    return this.#pick([
      '',
      this.#group(),
      ` |> ${this.#pick(['count', 'first', 'last', 'distinct', 'unique', 'mode'])}()`,
      ` |> aggregateWindow(every: ${this.#pick(['1m', '1h'])}, fn: ${this.#pick(['count', 'first', 'last'])})`,
      ' |> group(columns: ["_field"]) |> last()',
      ` |> ${pivot}`,
      ' |> filter(fn: (r) => r._field == "s")',
      ' |> toString() |> duplicate(column: "_value", as: "v") |> group(columns: ["v"]) |> count()',
      ' |> limit(n: 2)',
      ' |> sort(columns: ["_time", "host", "zone"])',
      ' |> keep(columns: ["_time", "_value"])',
      ' |> map(fn: (r) => ({r with v: string(v: r._value)}))',
    ])
  }

  /** Without `keep` before: then the values of the shards are told, as InfluxDB does. */
  #distinctTags(): string {
    const fields = this.#pick(['r._field == "i"', 'r._field =~ /^[fu]$/', 'r._field == "s"'])
    const tag = this.#pick(['host', 'zone', '_field', '_measurement', 'none'])
    const read = this.#readOf(fields, [this.#filterOfTags()])
    return `${read} |> group(columns: ["${tag}"]) |> distinct(column: "${tag}") |> group()`
  }

  #wide(): string {
    return this.#pick([
      '',
      ' |> filter(fn: (r) => exists r.f and r.f > 0.0)',
      ' |> group(columns: ["host"]) |> count(column: "_time")',
      ' |> group(columns: ["host"]) |> count(column: "zone")',
      ' |> sort(columns: ["_time"], desc: true) |> limit(n: 3)',
      ' |> map(fn: (r) => ({r with g: if exists r.f then float(v: r.f) else -1.0}))',
      ' |> drop(columns: ["_start", "_stop"]) |> group()',
    ])
  }

  #several(read: string): string {
    return this.#pick([
      `a = ${read}${this.#aggregate()}\n` +
        `b = ${this.#read()}${this.#aggregate()}\nunion(tables: [a, b])`,
      `a = ${read}${this.#windows()}\n` +
        `b = ${read} |> aggregateWindow(every: 1h, fn: count)\n` +
        'join(tables: {a: a, b: b}, on: ["_time", "host", "zone"])',
      `data = ${read}\ndata${this.#aggregate()} |> yield(name: "x")\ndata${this.#steps()} |> yield(name: "y")`,
    ])
  }
}
