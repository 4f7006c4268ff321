// Aggregates, selectors and functions that run along the rows, as scripts see them: small tables in,
// tables out, with the cases that Flux's own suite leaves out (nulls, empty tables, several chunks,
// refusals).

import { expect, it } from 'vitest'
import { fluxError, runFlux, runRows } from './run-flux.js'

/** A table of these lines under `_time`, `k` (its key) and `_value`; times are seconds of 1970. */
function table(type: string, values: readonly (string | number)[]): string {
  const lines = values.map((value, i) => `,,0,${new Date(i * 1000).toISOString()},a,${value}`)
  const head = [
    `#datatype,string,long,dateTime:RFC3339,string,${type}`,
    '#group,false,false,false,true,false',
    '#default,_result,,,a,',
    ',result,table,_time,k,_value',
  ]
  return `import "csv"\ncsv.from(csv: "${[...head, ...lines].join('\n')}")`
}

/** What becomes of `_value`. */
async function values(script: string): Promise<unknown[]> {
  return (await runRows(script)).map(({ _value }) => _value)
}

const floats = (...list: (string | number)[]): string => table('double', list)
const ints = (...list: (string | number)[]): string => table('long', list)
const uints = (...list: (string | number)[]): string => table('unsignedLong', list)

it('aggregates keep the key and the result', async () => {
  expect(await runRows(`${ints(1, 2, 4)} |> sum()`)).toEqual([{ k: 'a', _value: 7n }])
  expect(await runRows(`${ints(1, 2, 4)} |> mean()`)).toEqual([{ k: 'a', _value: 7 / 3 }])
  expect(await runRows(`${uints(1, 2)} |> spread()`)).toEqual([{ k: 'a', _value: 1n }])
  expect(await runRows(`${floats(1, '', 4)} |> count()`)).toEqual([{ k: 'a', _value: 3n }])
})

it('sums of integers are exact and wrap', async () => {
  const large = '9223372036854775807'
  expect(await values(`${ints(large, -1)} |> sum()`)).toEqual([9223372036854775806n])
  expect(await values(`${ints(large, 1)} |> sum()`)).toEqual([-9223372036854775808n])
  expect(await values(`${uints('18446744073709551615', 2)} |> sum()`)).toEqual([1n])
  expect(await values(`${ints(-1, '', -4294967297)} |> sum()`)).toEqual([-4294967298n])
})

it('nothing but nulls, and nothing at all, give null, and count what there is', async () => {
  for (const fn of ['sum', 'mean', 'spread', 'skew', 'stddev', 'median']) {
    expect(await values(`${floats('', '')} |> ${fn}()`), fn).toEqual([null])
    const empty = `${floats(1)} |> filter(fn: (r) => r._value > 5.0, onEmpty: "keep") |> ${fn}()`
    expect(await values(empty), fn).toEqual([null])
  }
  expect(await values(`${floats('', '')} |> count()`)).toEqual([2n])
  const empty = `${floats(1)} |> filter(fn: (r) => false, onEmpty: "keep") |> count()`
  expect(await values(empty)).toEqual([0n])
})

it('refuses what cannot be aggregated', async () => {
  const text = (script: string): Promise<string> => fluxError(script)
  expect(await text(`${table('string', ['x'])} |> sum()`)).toMatch(
    /^runtime error @\d+:\d+-\d+:\d+: sum: unsupported aggregate column type string$/,
  )
  expect(await text(`${floats(1)} |> count(column: "_time")`)).toMatch(/column type time$/)
  expect(await text(`${floats(1)} |> sum(column: "x")`)).toMatch(/column "x" does not exist$/)
  expect(await text(`${floats(1)} |> count(column: "k")`)).toMatch(
    /cannot aggregate columns that are part of the group key$/,
  )
  expect(await text(`${floats(1)} |> stddev(mode: "x")`)).toMatch(
    /"x" is not a valid standard deviation mode$/,
  )
})

it('moments', async () => {
  const [sample] = await values(`${floats(1, 2, 3, 4)} |> stddev()`)
  expect(sample).toBeCloseTo(Math.sqrt(5 / 3), 12)
  const [whole] = await values(`${ints(1, 2, 3, 4)} |> stddev(mode: "population")`)
  expect(whole).toBeCloseTo(Math.sqrt(5 / 4), 12)
  expect(await values(`${floats(7)} |> stddev()`)).toEqual([Number.NaN])
  const [skew] = await values(`${floats(1, 1, 1, 5)} |> skew()`)
  expect(skew).toBeCloseTo(2 / Math.sqrt(3), 12)
})

it('selectors keep whole rows, the earliest of equal ones, and pass nulls over', async () => {
  const seconds = async (script: string): Promise<unknown[]> =>
    (await runRows(script)).map(({ _time }) => Number(_time) / 1e9)
  const data = floats('', 3, 1, 3, 1, '')
  expect(await seconds(`${data} |> first()`)).toEqual([1])
  expect(await seconds(`${data} |> last()`)).toEqual([4])
  expect(await seconds(`${data} |> max()`)).toEqual([1])
  expect(await seconds(`${data} |> min()`)).toEqual([2])
  expect(await seconds(`${ints(3, -4294967297, 5, -4294967297)} |> min()`)).toEqual([1])
  expect(await seconds(`${uints(3, '18446744073709551615')} |> max()`)).toEqual([1])
  expect(await seconds(`${data} |> max(column: "_time")`)).toEqual([5])
  expect(await fluxError(`${data} |> max(column: "k")`)).toMatch(
    /invalid use of function: \*universe\.MaxSelector has no implementation for type string$/,
  )
  expect(await fluxError(`${data} |> first(column: "x")`)).toMatch(/no column "x" exists$/)
})

it('a table in which nothing is selected stays, without rows', async () => {
  const [{ tables }] = await runFlux(`${floats('', '')} |> last()`)
  expect(tables.map(({ rows }) => rows.length)).toEqual([0])
})

it('quantiles by all methods', async () => {
  const data = floats(40, '', 10, 30, 20)
  expect(await values(`${data} |> median()`)).toEqual([25])
  expect(await values(`${data} |> quantile(q: 0.9, method: "exact_mean")`)).toEqual([37])
  const rows = await runRows(`${data} |> quantile(q: 0.5, method: "exact_selector")`)
  expect(rows).toEqual([{ _time: 4_000_000_000n, k: 'a', _value: 20 }])
  const none = await runRows(`${floats('')} |> quantile(q: 0.5, method: "exact_selector")`)
  expect(none).toEqual([{ _time: null, k: 'a', _value: null }])
  expect(await fluxError(`${data} |> quantile(q: 1.1)`)).toMatch(
    /quantile must be between 0 and 1$/,
  )
  expect(await fluxError(`${data} |> quantile(q: 0.1, method: "x")`)).toMatch(/unknown method x$/)
  expect(await fluxError(`${ints(1)} |> quantile(q: 0.1, method: "exact_mean")`)).toMatch(
    /unsupported aggregate column type int$/,
  )
})

it('modes in order, or none', async () => {
  expect(await values(`${ints(2, 1, 1, 2, 3)} |> mode()`)).toEqual([1n, 2n])
  expect(await values(`${ints(2, 1, 3)} |> mode()`)).toEqual([null])
  expect(await values(`${table('string', ['b', 'b', 'a'])} |> mode()`)).toEqual(['b'])
})

it('difference', async () => {
  expect(await values(`${floats(1, '', 4, 2)} |> difference()`)).toEqual([null, 3, -2])
  const options = 'nonNegative: true, keepFirst: true'
  expect(await values(`${ints(5, 3, 4)} |> difference(${options})`)).toEqual([null, null, 1n])
  const zero = `${options}, initialZero: true`
  expect(await values(`${ints(5, 3, 4)} |> difference(${zero})`)).toEqual([0n, 3n, 1n])
  expect(await values(`${uints(5, 3)} |> difference()`)).toEqual([-2n])
  expect(await fluxError(`${floats(1)} |> difference(columns: ["_time"])`)).toMatch(
    /difference does not support time columns\. Try the elapsed function$/,
  )
  expect(await fluxError(`${table('string', ['x'])} |> difference()`)).toMatch(
    /difference does not support column "_value" of type "string"$/,
  )
})

it('cumulativeSum and increase', async () => {
  expect(await values(`${ints(1, '', 2)} |> cumulativeSum()`)).toEqual([1n, 1n, 3n])
  expect(await values(`${uints(10, 15, 3, 4)} |> increase()`)).toEqual([0n, 5n, 8n, 9n])
})

it('derivative and elapsed', async () => {
  const data = ints(0, 10, '', 20)
  expect(await values(`${data} |> derivative(unit: 500ms)`)).toEqual([5, null, 2.5])
  expect(await values(`${ints(5, 3)} |> derivative(nonNegative: true)`)).toEqual([null])
  expect(await values(`${uints('18446744073709551615', 0)} |> derivative()`)).toEqual([-(2 ** 64)])
  const elapsed = await runRows(`${data} |> elapsed(unit: 1ms)`)
  expect(elapsed.map((row) => row.elapsed)).toEqual([1000n, 1000n, 1000n])
  expect(await fluxError(`${table('string', ['x'])} |> derivative()`)).toMatch(
    /unsupported derivative column type _value:string$/,
  )
})

it('moving averages', async () => {
  expect(await values(`${ints(1, 2, 3, '', 6)} |> movingAverage(n: 2)`)).toEqual([1.5, 2.5, 3, 6])
  expect(await values(`${ints(1, 2)} |> movingAverage(n: 5)`)).toEqual([1.5])
  const long = Array.from({ length: 200 }, (_, i) => i)
  const means = await values(`${floats(...long)} |> movingAverage(n: 100)`)
  expect(means).toEqual(Array.from({ length: 101 }, (_, i) => i + 49.5))
  const wild = floats(...Array.from({ length: 70 }, (_, i) => (i === 3 ? '+Inf' : 1)))
  const passed = await values(`${wild} |> movingAverage(n: 65)`)
  expect(passed).toEqual([Infinity, Infinity, Infinity, Infinity, 1, 1])
  expect(await values(`${floats(1, 2, 3)} |> exponentialMovingAverage(n: 2)`)).toEqual([1.5, 2.5])
  expect(await values(`${floats(1, 2)} |> doubleEMA(n: 5)`)).toEqual([1.5])
  expect(await fluxError(`${floats(1)} |> movingAverage(n: 0)`)).toMatch(
    /cannot take moving average with a period of 0 \(must be greater than 0\)$/,
  )
})

it('momentum', async () => {
  expect(await values(`${ints(1, 2, 4, 3)} |> chandeMomentumOscillator(n: 2)`)).toEqual([
    100,
    100 / 3,
  ])
  const ratios = await values(`${floats(1, 2, 4, 3)} |> kaufmansER(n: 2)`)
  expect(ratios).toEqual([1, 100 / 3 / 100])
  expect(await fluxError(`${ints(1)} |> chandeMomentumOscillator(n: 0)`)).toMatch(
    /must be greater than 0\)$/,
  )
})

it('histograms and their quantiles', async () => {
  const counted = await runRows(`${floats(1, 2, 2, '', 9)} |> histogram(bins: [10.0, 2.0, 1.0])`)
  expect(counted.map(({ le, _value }) => [le, _value])).toEqual([
    [1, 1],
    [2, 3],
    [10, 4],
  ])
  expect(await fluxError(`${floats(3)} |> histogram(bins: [1.0, 2.0])`)).toMatch(
    /found value greater than any bin, 2 2 3\.000000 2\.000000$/,
  )
  const half = `${floats(1, 2, 2, 9)} |> histogram(bins: [1.0, 2.0, 10.0])
    |> histogramQuantile(quantile: 0.5)`
  expect(await values(half)).toEqual([1.5])
})

it('integral and covariance', async () => {
  const ranged = `${floats(1, 3, 5)} |> range(start: 1970-01-01T00:00:00Z, stop: 1970-01-01T00:00:03Z)`
  expect(await values(`${ranged} |> integral()`)).toEqual([6])
  expect(await values(`${ranged} |> integral(interpolate: "linear")`)).toEqual([12])
  expect(await values(`${ranged} |> timeWeightedAvg(unit: 1m)`)).toEqual([4])
  expect(await fluxError(`${floats(1)} |> integral()`)).toMatch(
    /integral function needs _start column to be part of group key$/,
  )
  const pair = `${floats(1, 2, 3)} |> map(fn: (r) => ({r with y: r._value * -2.0}))`
  expect(await values(`${pair} |> covariance(columns: ["_value", "y"])`)).toEqual([-2])
  const pearson = `${pair} |> covariance(columns: ["_value", "y"], pearsonr: true)`
  expect((await values(pearson))[0]).toBeCloseTo(-1, 12)
})

it('a column of the group key is not replaced', async () => {
  const keyed = `${ints(1)} |> group(columns: ["_value"])`
  expect(await fluxError(`${keyed} |> cumulativeSum()`)).toMatch(/it is part of the group key$/)
})

it('interpolate.linear puts rows at the bounds of windows', async () => {
  const data = `import "interpolate"\n${floats(1, 3, 4)}`
  const rows = await runRows(`${data} |> interpolate.linear(every: 400ms)`)
  expect(rows.map(({ _time, _value }) => [Number(_time) / 1e6, _value])).toEqual([
    [0, 1],
    [400, 1.8],
    [800, 2.6],
    [1000, 3],
    [1200, 3.2],
    [1600, 3.6],
    [2000, 4],
  ])
  const gap = `import "interpolate"\n${floats(1, '')} |> interpolate.linear(every: 1m)`
  expect(await fluxError(gap)).toMatch(/null _value found during linear interpolation$/)
  expect(await fluxError(`${data} |> interpolate.linear(every: 0s)`)).toMatch(
    /duration used as an interval cannot be zero$/,
  )
})

it('polyline.rdp keeps the corners', async () => {
  const seconds = async (options: string): Promise<unknown[]> => {
    const data = floats(0, 0, 0, 9e9, 0, 0)
    const script = `import "experimental/polyline"\n${data} |> polyline.rdp(${options})`
    return (await runRows(script)).map(({ _time }) => Number(_time) / 1e9)
  }
  expect(await seconds('epsilon: 1.0')).toEqual([0, 2, 3, 4, 5])
  expect(await seconds('epsilon: 10000000000.0')).toEqual([0, 5])
  expect(await seconds('retention: 50.0')).toEqual([0, 3, 5])
  const both = 'epsilon: 1.0, retention: 1.0'
  await expect(seconds(both)).rejects.toThrow(/either epsilon or retention rate and not both$/)
})

it('experimental.alignTime moves every table to one start', async () => {
  const data = `import "experimental"\n${floats(1, 2)} |> filter(fn: (r) => r._value > 0.0)`
  const rows = await runRows(`${data} |> experimental.alignTime(alignTo: 2020-01-01T00:00:00Z)`)
  const start = 1_577_836_800_000_000_000n
  expect(rows.map(({ _time }) => _time)).toEqual([start, start + 1_000_000_000n])
})
