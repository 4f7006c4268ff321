// What is worked out column by column, or several functions in one, against the functions as they are called row by
// row and one after the other: the same tables, for random rows and random expressions.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Random, seededRandom } from '../../src/platform/random.js'
import type { EngineWorld } from '../store/engine-states.js'
import { fluxError, runFlux, storeWith } from './run-flux.js'

const allOff = `import "planner"
option planner.disablePhysicalRules = ["VectorizeRowFunctionRule", "ShortcutRule"]
`

async function expectSame(imports: string, body: string, world?: EngineWorld): Promise<void> {
  const options = world === undefined ? {} : { store: world.engine }
  const fast = await outcomeOf(`${imports}\n${body}`, options)
  const general = await outcomeOf(`${imports}\n${allOff}${body}`, options)
  expect(fast, body).toEqual(general)
}

/** What it answers, or says is wrong, wherever that stands. */
async function outcomeOf(script: string, options: Parameters<typeof runFlux>[1]): Promise<unknown> {
  try {
    return await runFlux(script, options)
  } catch (error) {
    return String((error as Error).message).replace(/@\S+/, '')
  }
}

function one<T>(random: Random, values: readonly T[]): T {
  return values[random.below(values.length)]
}

const floats = ['0.0', '-0.0', '1.5', '-2.25', 'float(v: "1e300")', '-7.0']
const ints = [
  '0',
  '1',
  '-1',
  '3',
  '-1234567',
  '4294967296',
  '9007199254740993',
  '9223372036854775807',
]
const texts = ['""', '"a"', '"b"', '"ab"']

/** A row in which some columns have no value. */
function rowText(random: Random, number: number): string {
  const cell = (type: string, values: readonly string[]) =>
    random.below(5) === 0 ? `debug.null(type: "${type}")` : one(random, values)
  const columns = [
    `a: ${cell('float', floats)}`,
    `b: ${cell('float', floats)}`,
    `i: ${cell('int', ints)}`,
    `j: ${cell('int', ints)}`,
    `s: ${cell('string', texts)}`,
    `t: ${cell('string', texts)}`,
    `p: ${cell('bool', ['true', 'false'])}`,
    `q: ${cell('bool', ['true', 'false'])}`,
    `at: 2020-01-0${1 + random.below(9)}T00:00:00Z`,
    `host: "${number % 3}"`,
  ]
  return `{${columns.join(', ')}}`
}

type Sort = 'float' | 'int' | 'string' | 'bool'

function expressionText(random: Random, sort: Sort, depth: number): string {
  if (depth === 0 || random.below(4) === 0) return leafText(random, sort)
  const inner = (of: Sort) => expressionText(random, of, depth - 1)
  if (random.below(4) === 0) return `(if ${inner('bool')} then ${inner(sort)} else ${inner(sort)})`
  switch (sort) {
    case 'float':
      if (random.below(6) === 0) return `(-(${inner('float')}))`
      if (random.below(6) === 0) return `float(v: ${inner(one(random, ['int', 'bool']))})`
      return `(${inner('float')} ${one(random, ['+', '-', '*', '/', '%', '^'])} ${inner('float')})`
    case 'int':
      if (random.below(6) === 0) return `(-(${inner('int')}))`
      if (random.below(6) === 0) return `int(v: ${inner(one(random, ['float', 'bool']))})`
      if (random.below(6) === 0) return `(${inner('int')} ${one(random, ['/', '%'])} step)`
      return `(${inner('int')} ${one(random, ['+', '-', '*'])} ${inner('int')})`
    case 'bool':
      return conditionText(random, inner)
    case 'string':
      if (random.below(3) === 0) return `string(v: ${inner(one(random, ['float', 'int', 'bool']))})`
      return `(${inner('string')} + ${inner('string')})`
  }
}

function conditionText(random: Random, inner: (sort: Sort) => string): string {
  const order = one(random, ['==', '!=', '<', '<=', '>', '>='])
  switch (random.below(9)) {
    case 7:
      return `(${inner('string')} ${one(random, ['=~', '!~'])} /a$/)`
    case 8:
      return `(${inner('string')} ${order} ${inner('string')})`
    case 0:
      return `(not ${inner('bool')})`
    case 1:
      return `(exists r.${one(random, ['a', 'i', 's', 'p'])})`
    case 2:
      return `(${inner('bool')} ${one(random, ['and', 'or'])} ${inner('bool')})`
    case 3:
      return `(${inner('string')} ${one(random, ['==', '!='])} ${inner('string')})`
    case 4:
      return `(r.at ${order} noon)`
    case 5:
      return `(${inner('int')} ${order} ${inner('int')})`
    default:
      return `(${inner('float')} ${order} ${inner('float')})`
  }
}

function leafText(random: Random, sort: Sort): string {
  switch (sort) {
    case 'float':
      return one(random, ['r.a', 'r.b', 'r["a"]', '2.5', 'factors.half'])
    case 'int':
      return one(random, ['r.i', 'r.j', '7', 'step', '-3'])
    case 'bool':
      return one(random, ['r.p', 'r.q', 'true'])
    case 'string':
      return one(random, ['r.s', 'r.t', 'r.host', '"a"', 'word'])
  }
}

const names = `noon = 2020-01-05T00:00:00Z
step = 3
word = "b"
factors = {half: 0.5}
`

describe('map and filter by columns', () => {
  test.each(Array.from({ length: 12 }, (_, i) => i + 1))(
    'random expressions, seed %i',
    async (seed) => {
      const random = seededRandom(seed)
      const rows = Array.from({ length: 1 + random.below(20) }, (_, i) => rowText(random, i))
      const group = one(random, [
        '',
        '|> group(columns: ["host"])',
        '|> group(columns: ["s", "p"])',
      ])
      const sorts: readonly Sort[] = ['float', 'int', 'string', 'bool', 'bool']
      const set = sorts.map((sort, i) => `x${i}: ${expressionText(random, sort, 4)}`).join(', ')
      const condition = expressionText(random, 'bool', 4)
      const source = `${names}data = array.from(rows: [${rows.join(', ')}]) ${group}\n`
      const imports = 'import "array"\nimport "internal/debug"'
      await expectSame(imports, `${source}data |> map(fn: (r) => ({r with ${set}}))`)
      await expectSame(imports, `${source}data |> map(fn: (r) => ({${set}, s: r.s}))`)
      await expectSame(imports, `${source}data |> map(fn: (r) => ({r with s: r.t, x: r.p}))`)
      await expectSame(imports, `${source}data |> filter(fn: (r) => ${condition}, onEmpty: "keep")`)
    },
  )

  test('what a row can fail on is left to the function', async () => {
    const script = (expression: string) =>
      `import "array"\narray.from(rows: [{i: 1, s: "x"}]) |> map(fn: (r) => ({r with y: ${expression}}))`
    expect(await fluxError(script('r.i / 0'))).toContain('cannot divide by zero')
    expect(await fluxError(script('r.i % (r.i - 1)'))).toContain('cannot mod zero')
    expect(await fluxError(script('float(v: r.s)'))).toContain('cannot convert string "x" to float')
    expect(await fluxError(script('bool(v: r.i + 1)'))).toContain('cannot convert int 2 to bool')
  })

  const rows = `data = array.from(rows: [
    {i: 5, u: uint(v: 7), a: 2.5, s: "12", n: "x", at: 2020-01-05T00:00:00Z, z: 0, h: debug.null(type: "string")},
    {i: -9007199254740993, u: uint(v: "18446744073709551615"), a: -3.5, s: "-1", n: "1.5", at: 1969-12-31T23:59:59.5Z,
      z: 3, h: "y"},
    {i: 0, u: uint(v: 0), a: 1e300, s: "0", n: "true", at: 2020-01-05T00:00:00.000000001Z, z: -1, h: "z"},
  ])
`
  test.each([
    ...['bool', 'float', 'int', 'string', 'time', 'uint'].flatMap((type) =>
      ['i', 'u', 'a', 's', 'n', 'at', 'h'].map((column) => `${type}(v: r.${column})`),
    ),
    ...['r.i / r.z', 'r.i % r.z', 'if r.z == 0 then 0 else r.i / r.z', 'r.u / uint(v: 2)'],
    ...[
      'r.u + r.u',
      'r.u * r.u',
      'r.u - uint(v: 9)',
      'r.u > uint(v: 5)',
      'r.i < r.a',
      'r.a == r.i',
    ],
    ...['r.u >= r.i', 'r.at < 2020-01-05T00:00:00Z', '"<' + '${r.i}/${r.a}/${r.at}/${r.u}>"'],
    ...['"<' + '${r.h}>"', 'r.h + r.s', 'r.h =~ /y|z/', 'r.i ^ r.z', 'int(v: r.s) + r.z'],
  ])('%s', async (expression) => {
    const imports = 'import "array"\nimport "internal/debug"'
    await expectSame(imports, `${rows}data |> map(fn: (r) => ({r with y: ${expression}}))`)
    await expectSame(imports, `${rows}data |> filter(fn: (r) => string(v: ${expression}) != "0")`)
  })
})

describe('reduce by columns', () => {
  test.each(Array.from({ length: 12 }, (_, i) => i + 1))('seed %i', async (seed) => {
    const random = seededRandom(seed)
    // Nulls, and integers that no float holds, come late: both ways have their part.
    const rows = Array.from({ length: 40 }, (_, i) => {
      const at = `host: "${i % 3}", at: 2020-01-05T00:00:00Z`
      if (i > 30 && random.below(4) === 0) return rowText(random, i)
      return `{a: ${one(random, floats)}, b: ${one(random, floats)}, i: ${one(random, ints.slice(0, 6))},
        j: ${random.below(9)}, s: "a", t: "b", p: true, q: ${one(random, ['true', 'false'])}, ${at}}`
    })
    const accumulated = (sort: Sort) =>
      expressionText(random, sort, 3)
        .replaceAll('r.b', 'accumulator.f')
        .replaceAll('r.j', 'accumulator.i')
        .replaceAll('r.q', 'accumulator.p')
    const imports = 'import "array"\nimport "internal/debug"'
    const source = `${names}data = array.from(rows: [${rows.join(', ')}])
      |> group(columns: ["host"])\n`
    const identity = '{f: 1.5, i: 2, p: false}'
    for (const record of [
      `{f: ${accumulated('float')}, i: ${accumulated('int')}, p: ${accumulated('bool')}}`,
      `{accumulator with i: accumulator.i + r.j, f: accumulator.f + ${accumulated('float')}}`,
      `{f: accumulator.f * r.a, i: if r.p then accumulator.i / r.j else 1, p: accumulator.i > 5}`,
    ]) {
      const fn = `(r, accumulator) => (${record})`
      await expectSame(imports, `${source}data |> reduce(fn: ${fn}, identity: ${identity})`)
    }
  })
})

describe('sort and limit in one step', () => {
  const columns = ['a', 'i', 's', 'p', 'at', 'host', 'none']
  test.each([1, 2, 3, 4, 5, 6])('random rows, seed %i', async (seed) => {
    const random = seededRandom(seed)
    const rows = Array.from({ length: 1 + random.below(60) }, (_, i) => rowText(random, i))
    const source = `data = array.from(rows: [${rows.join(', ')}])\n`
    const imports = 'import "array"\nimport "internal/debug"'
    for (let i = 0; i < 12; i++) {
      const by = Array.from({ length: 1 + random.below(3) }, () => `"${one(random, columns)}"`)
      const group = one(random, ['', '|> group(columns: ["host"])', '|> group(columns: ["s"])'])
      const sort = `sort(columns: [${by.join(', ')}], desc: ${one(random, ['true', 'false'])})`
      const limit = `limit(n: ${random.below(9)}${one(random, ['', ', offset: 3', ', offset: 70'])})`
      await expectSame(imports, `${source}data ${group} |> ${sort} |> ${limit}`)
    }
    await expectSame(imports, `${source}data |> top(n: 3, columns: ["a"])`)
    await expectSame(
      imports,
      `${source}data |> filter(fn: (r) => false, onEmpty: "keep") |> bottom(n: 1, columns: ["a"])`,
    )
  })

  test('more rows than are held at a time', async () => {
    const random = seededRandom(9)
    const lines = Array.from({ length: 50_000 }, (_, i) => {
      return `m,host=h${i % 2} f=${random.below(2000)},i=${random.below(50)}i ${i}`
    })
    const long = await storeWith(lines.join('\n'))
    const data = 'from(bucket: "b") |> range(start: 0, stop: 1) |> filter(fn: (r) => r._field =='
    for (const rest of [
      'limit(n: 7)',
      'limit(n: 50, offset: 3000)',
      'limit(n: 3, offset: 49999)',
    ]) {
      await expectSame('', `${data} "f") |> sort() |> ${rest}`, long)
      await expectSame(
        '',
        `${data} "i") |> group() |> sort(columns: ["_value", "host"], desc: true) |> ${rest}`,
        long,
      )
    }
    await long.close()
  })
})

describe('aggregateWindow in one step', () => {
  let world: EngineWorld
  beforeAll(async () => {
    const random = seededRandom(5)
    const lines = Array.from({ length: 300 }, (_, i) => {
      const time = 1_577_836_800_000_000_000n + BigInt(random.below(7200)) * 1_000_000_000n
      const fields = [`f=${random.below(100) / 4}`, `i=${random.below(9)}i`]
      return `m,host=h${i % 3} ${one(random, fields)} ${time}`
    })
    world = await storeWith(lines.join('\n'))
  })
  afterAll(() => world.close())

  const data = `from(bucket: "b") |> range(start: 2019-12-31T23:50:00Z, stop: 2020-01-01T02:05:30Z)
  |> map(fn: (r) => ({r with twice: r._value}))`
  const fns = ['mean', 'sum', 'count', 'stddev', 'spread', 'skew', 'median']
  const windows = [
    'every: 10m',
    'every: 7m, createEmpty: false',
    'every: 10m, period: 25m, timeSrc: "_start"',
    'every: 30m, period: 5m, offset: 3m, createEmpty: false',
    'every: 1h, offset: -10m, column: "twice"',
  ]
  test.each(fns.flatMap((fn) => windows.map((window) => [fn, window] as const)))(
    '%s, %s',
    async (fn, window) => {
      await expectSame('', `${data} |> aggregateWindow(fn: ${fn}, ${window})`, world)
    },
  )

  test.each([
    '|> group(columns: ["host"]) |> aggregateWindow(every: 10m, fn: sum, column: "i")',
    '|> group(columns: ["_time"]) |> aggregateWindow(every: 30m, fn: count)',
    '|> drop(columns: ["_start", "_stop"]) |> aggregateWindow(every: 30m, fn: mean)',
    '|> filter(fn: (r) => false, onEmpty: "keep") |> aggregateWindow(every: 30m, fn: mean)',
  ])('tables of other shapes: %s', async (rest) => {
    const numbers = `${data} |> filter(fn: (r) => r._field == "i") |> map(fn: (r) => ({r with i: 2 * r._value}))`
    await expectSame('', `${numbers} ${rest}`, world)
  })

  test.each([
    ['|> aggregateWindow(every: 10m, fn: mean, column: "none")', 'column "none" does not exist'],
    ['|> aggregateWindow(every: 10m, fn: mean, column: "host")', 'part of the group key'],
    ['|> group() |> aggregateWindow(every: 10m, fn: sum, column: "host")', 'unsupported'],
    ['|> drop(columns: ["_time"]) |> aggregateWindow(every: 10m, fn: sum)', '_time'],
  ])('the same refusal: %s', async (rest, words) => {
    const options = { store: world.engine }
    const numbers = `${data} |> filter(fn: (r) => r._field == "f") ${rest}`
    const fast = await fluxError(numbers, options)
    expect(fast).toContain(words)
    const general = await fluxError(allOff + numbers, options)
    expect(fast.replace(/@\S+/, '')).toBe(general.replace(/@\S+/, ''))
  })
})
