// Scripts that ask for more than anybody has: types and values that double, texts and arrays that grow,
// tables without end. Each is refused with a clear word, or goes on beside others until it is stopped.

import { beforeAll, describe, expect, test, vi } from 'vitest'
import { UserError } from '../../src/errors.js'
import { systemClock } from '../../src/platform/clock.js'
import { flux, fluxError, runRows, storeWith, testScope } from './run-flux.js'

// Machines may be busy.
vi.setConfig({ testTimeout: 120_000 })

const lines = (count: number, line: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => line(i)).join('\n')
const imports = lines(9, (i) => {
  const paths = [
    'array',
    'generate',
    'strings',
    'regexp',
    'json',
    'csv',
    'dict',
    'interpolate',
    'date',
  ]
  return `import "${paths[i]}"`
})
const tower = (levels: number) =>
  `x0 = {a: 1}\n${lines(levels, (i) => `x${i + 1} = {a: x${i}, b: x${i}}`)}\n`
const endless = (fn = 'n') =>
  `generate.from(count: 1000000000000, start: 2020-01-01T00:00:00Z, stop: 2021-01-01T00:00:00Z, fn: (n) => ${fn})`
const limits = { memoryBytesMax: 100_000_000, stepsMax: 500_000_000 }

describe('is refused', () => {
  const parts = /more than \d+ parts is too large|too large/
  const long = /is too long|more than \d+ characters|too long a text/
  test.each<[string, string, RegExp]>([
    ['equal towers', `${tower(60)}y = x60 == x60`, parts],
    ['towers in a function', `${tower(60)}f = (r) => r == r\ny = f(r: x60)`, parts],
    ['two towers', `${tower(60)}${tower(60).replaceAll('x', 'z')}y = [x60, z60]`, parts],
    ['towers as JSON', `import "json"\n${tower(60)}y = json.encode(v: x60)`, parts],
    ['towers shown', `${tower(60)}y = display(v: x60)`, parts],
    ['towers that do not fit', `${tower(60)}y = x60 + 1`, /compilation failed/],
    [
      'towers of arrays',
      `x0 = [1]\n${lines(2000, (i) => `x${i + 1} = [x${i}]`)}\ny = x2000 == x2000`,
      parts,
    ],
    [
      'types that double',
      `f0 = (x) => x\n${lines(60, (i) => `f${i + 1} = (x) => ({a: f${i}(x: x), b: f${i}(x: x)})`)}`,
      parts,
    ],
    [
      'records that grow',
      `x0 = {a: 1}\n${lines(2500, (i) => `x${i + 1} = {x${i} with a${i}: 1}`)}`,
      /memory allocation limit/,
    ],
    ['words without end', `x = [${'1,'.repeat(300_000)}]`, /Program is too long/],
    ['a long text', 'import "strings"\nx = strings.repeat(v: "ab", i: 9223372036854775807)', long],
    [
      'a long text, cut',
      'import "strings"\nx = strings.split(v: strings.repeat(v: "ab", i: 5000000), t: "")',
      long,
    ],
    [
      'a long text, joined',
      `import "strings"\nx = strings.joinStr(arr: [${'"",'.repeat(20)}], v: strings.repeat(v: "ab", i: 2000000))`,
      long,
    ],
    [
      'a long text, matched',
      'import "strings"\nx = strings.repeat(v: "ab", i: 5000000) =~ /(a|b)*c/',
      long,
    ],
    [
      'replaced by more',
      `import "regexp"\nimport "strings"
        x = regexp.replaceAllString(r: /a/, v: strings.repeat(v: "a", i: 1000000),
        t: strings.repeat(v: "b", i: 1000))`,
      long,
    ],
    [
      'a long pattern',
      'import "regexp"\nimport "strings"\nx = regexp.compile(v: strings.repeat(v: "a", i: 100000))',
      long,
    ],
    [
      'much JSON',
      `import "experimental/json"\nimport "strings"
        x = json.parse(data: bytes(v: "[" + strings.repeat(v: "1,", i: 3000000) + "1]"))`,
      /too large to be read/,
    ],
    [
      'many bins',
      'x = linearBins(start: 0.0, width: 1.0, count: 9223372036854775807)',
      /count must be/,
    ],
    [
      'arrays that double',
      `import "array"\na0 = [1]\n${lines(40, (i) => `a${i + 1} = array.concat(arr: a${i}, v: a${i})`)}`,
      /memory allocation limit|is too long/,
    ],
    ['sorted without end', `${imports}\n${endless('-n')} |> sort()`, /memory allocation limit/],
    [
      'all at the end',
      `${imports}\n${endless()} |> tail(n: 9223372036854775807)`,
      /memory allocation limit/,
    ],
    [
      'many groups',
      `${imports}\n${endless()} |> group(columns: ["_value"])`,
      /memory allocation limit/,
    ],
    [
      'many columns',
      `${imports}\n${endless()} |> map(fn: (r) => ({r with k: string(v: r._value)}))
        |> pivot(rowKey: ["_time"], columnKey: ["k"], valueColumn: "_value")`,
      /memory allocation limit/,
    ],
  ])('%s', async (_, script, words) => {
    expect(await fluxError(script, { limits: { ...limits, memoryBytesMax: 20_000_000 } })).toMatch(
      words,
    )
  })
})

test('what is shared is looked at once where that is enough', async () => {
  const script = `import "array"\n${tower(14)}f = (r) => r == r\narray.from(rows: [{v: f(r: x14)}])`
  expect(await runRows(script)).toEqual([{ v: true }])
})

test('long parts are found, however the text repeats itself', async () => {
  const script = `import "array"\nimport "strings"
    a = strings.repeat(v: "a", i: 200000)
    part = a + "b" + a
    text = a + part + a + part
    array.from(rows: [{
      index: strings.index(v: text, substr: part), last: strings.lastIndex(v: text, substr: part),
      count: strings.countStr(v: text, substr: part), none: strings.containsStr(v: a + a + a, substr: part),
      length: strings.strlen(v: strings.replaceAll(v: text, t: part, u: "")), trimmed: strings.trimSpace(v: " x \u0085")
    }])`
  expect(await runRows(script)).toEqual([
    { index: 200000n, last: 800001n, count: 2n, none: false, length: 400000n, trimmed: 'x' },
  ])
})

describe('goes on beside others until it is stopped', () => {
  let store: Awaited<ReturnType<typeof storeWith>>
  beforeAll(async () => {
    store = await storeWith('m,t=a f=1 1\nm,t=a f=2 2999000000000')
    return () => store.close()
  })

  const calls = `f0 = () => 1\n${lines(60, (i) => `f${i + 1} = () => f${i}() + f${i}()`)}\n`
  const data = 'from(bucket: "b") |> range(start: 0, stop: 3000)'
  const families: Readonly<Record<string, string>> = {
    'calls of functions': `${calls}x = f60()`,
    'calls for a row': `${imports}\n${calls}array.from(rows: [{a: 1}]) |> map(fn: (r) => ({a: f60()}))`,
    'arrays in arrays': `${imports}\na = [${'1,'.repeat(99)}1]
      ${lines(9, (i) => `f${i + 1} = (x) => length(arr: array.map(arr: a, fn: ${i === 0 ? '(x) => x' : `f${i}`}))`)}
      z = f9(x: 1)`,
    count: `${imports}\n${endless()} |> count()`,
    map: `${imports}\n${endless()} |> map(fn: (r) => ({r with x: r._value + 1})) |> sum()`,
    filter: `${imports}\n${endless()} |> filter(fn: (r) => r._value < 0) |> sum()`,
    reduce: `${imports}\n${endless()}
      |> reduce(fn: (r, accumulator) => ({s: accumulator.s + r._value}), identity: {s: 0})`,
    derivative: `${imports}\n${endless()} |> derivative() |> sum()`,
    fill: `${imports}\n${endless()} |> fill(usePrevious: true) |> sum()`,
    state: `${imports}\n${endless()} |> stateCount(fn: (r) => r._value > 1) |> sum()`,
    limit: `${imports}\n${endless()} |> limit(n: 1, offset: 9223372036854775807)`,
    union: `${imports}\na0 = ${endless()}
      |> limit(n: 1)\n${lines(60, (i) => `a${i + 1} = union(tables: [a${i}, a${i}])`)}\na60 |> limit(n: 1)`,
    find: `${imports}\nx = ${endless()} |> filter(fn: (r) => r._value < 0)
      |> findColumn(fn: (key) => true, column: "_value")`,
    patterns: `${imports}\n${endless()}
      |> filter(fn: (r) => "a" =~ regexp.compile(v: "(b{1,300}\${r._value}|c{1,300})")) |> sum()`,
    texts: `${imports}\n${endless()}
      |> filter(fn: (r) => strings.strlen(v: strings.repeat(v: "a\${r._value}", i: 100000)) < 0) |> sum()`,
    windows: `${data} |> aggregateWindow(every: 1ns, fn: count) |> sum()`,
    'windows of rows': `${data} |> map(fn: (r) => r) |> window(every: 1us, createEmpty: true) |> count()`,
    interpolate: `${imports}\n${data} |> interpolate.linear(every: 1ns) |> sum()`,
    'large CSV': `${imports}\n${lines(
      50,
      (i) => `csv.from(csv: "a,b\\n" + strings.repeat(v: "1,2\\n", i: 1000000), mode: "raw")
      |> count(column: "a") |> yield(name: "r${i}")`,
    )}`,
  }

  /** How it ends when it is stopped by a timer, which has to have its turn for that. */
  async function stopped(script: string, afterMs: number): Promise<unknown> {
    const controller = new AbortController()
    const reason = new UserError('unavailable', 'stopped by a timer')
    const timer = setTimeout(() => controller.abort(reason), afterMs)
    const scope = testScope({ store: store.engine, limits: { ...limits, memoryBytesMax: 1e9 } })
    try {
      for await (const _ of flux.prepare(script).run(scope, controller.signal));
    } catch (error) {
      return error
    } finally {
      clearTimeout(timer)
    }
    return 'it ended well'
  }

  test.each(Object.entries(families))('%s', async (_, script) => {
    expect(await stopped(script, 50)).toHaveProperty('message', 'stopped by a timer')
  })

  test('time that is up is noticed by rows that compute, too', async () => {
    const script = `${imports}\n${calls}${endless('f60()')} |> sum()`
    const timed = { limits: { ...limits, timeoutSeconds: 1 }, scope: { clock: systemClock } }
    expect(await fluxError(script, timed)).toContain('query-timeout limit exceeded')
  })
})
