// What scripts evaluate to: each line of the tables is a script whose value `x` is shown.

import { describe, expect, test } from 'vitest'
import { UserError } from '../../src/errors.js'
import { parseFlux } from '../../src/flux/syntax/parser.js'
import { fluxError, type RunOptions, runFlux, runRows } from './run-flux.js'

/** The value of `x` at the end of the script, as `display` shows it. */
async function shown(script: string, options: RunOptions = {}): Promise<unknown> {
  const imports = script.match(/^(import "[^"]*"\s*)*/)![0]
  const rest = script.slice(imports.length)
  const text = `${imports}\nimport "array"\n${rest}\narray.from(rows: [{x: display(v: x)}])`
  const [row] = await runRows(text, options)
  return row.x
}

describe('expressions', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['x = 1 + 2 * 3', '7'],
    ['x = (1 + 2) * 3', '9'],
    ['x = 2.0 ^ 3.0 ^ 2.0', '64'],
    ['x = -7 / 2', '-3'],
    ['x = 9223372036854775807 + 1', '-9223372036854775808'],
    ['x = "a" + "b"', 'ab'],
    ['x = -1mo', '-1mo'],
    ['x = 2020-01-01T00:00:00Z', '2020-01-01T00:00:00.000000000Z'],
    ['x = 1 < 2 and 2.0 >= 2.0', 'true'],
    ['x = not true or false', 'false'],
    ['x = "abc" =~ /b/ and "abc" !~ /^b/', 'true'],
    ['x = if 1 > 2 then "a" else "b"', 'b'],
    ['x = [1, 2, 3][1]', '2'],
    ['x = {a: 1, "b c": "2"}', '{a: 1, b c: 2}'],
    ['a = 1 b = "q" x = {a, b}', '{a: 1, b: q}'],
    ['r = {a: 1, b: 2} x = {r with b: 3, c: 4}', '{a: 1, b: 3, c: 4}'],
    ['r = {a: {b: {c: 7}}} x = r.a["b"].c', '7'],
    ['x = ["b": 2, "a": 1]', '[a: 1, b: 2]'],
    ['x = [1: "a", 1: "b"]', '[1: b]'],
    [
      `n = 3 x = "n is \${n} and \${n + 1}: \${1.5} \${true} \${2h} \${"in \${n}"}"`,
      'n is 3 and 4: 1.5 true 2h in 3',
    ],
    [`x = "\${2020-01-01}"`, '2020-01-01T00:00:00.000000000Z'],
    ['x = [1, 2] == [1, 2]', 'true'],
    ['x = {a: 1, b: 2} == {b: 2, a: 1}', 'true'],
    ['x = +1', '1'],
    ['x = exists {a: 1}.a', 'true'],
  ]
  test.each(cases)('%s', async (script, expected) => {
    expect(await shown(script)).toBe(expected)
  })
})

describe('functions', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['f = (a, b=2) => a * 10 + b x = f(a: 1)', '12'],
    ['f = (a, b=2) => a * 10 + b x = f(b: 5, a: 1)', '15'],
    ['f = (v=<-, by) => v * by x = 3 |> f(by: 4) |> f(by: 2)', '24'],
    ['a = 1 f = (a) => a x = f(a)', '1'],
    ['add = (n) => (m) => n + m x = add(n: 1)(m: 2)', '3'],
    ['twice = (f, v) => f(v: f(v: v)) x = twice(f: (v) => v * 3, v: 2)', '18'],
    ['f = (v) => { a = v + 1 b = a * 2 return b } x = f(v: 1)', '4'],
    ['v = 1 f = () => { v = "inner" return v } x = f()', 'inner'],
    ['n = 1 f = (v=n) => { n = 5 return v + n } x = f()', '6'],
    ['o = {f: (v) => v + 1} x = o.f(v: 1)', '2'],
    ['fs = [(v) => v + 1, (v) => v * 10] x = fs[1](v: 4)', '40'],
    ['f = () => { g = (v) => v + 1 return g } x = f()(v: 1)', '2'],
    [
      'make = (n) => ({get: () => n}) a = make(n: 1) b = make(n: 2) x = [a.get(), b.get()]',
      '[1, 2]',
    ],
  ]
  test.each(cases)('%s', async (script, expected) => {
    expect(await shown(script)).toBe(expected)
  })
})

describe('null', () => {
  const nulls = 'import "internal/debug"\nb = debug.null(type: "bool") n = debug.null(type: "int") '
  const cases: readonly (readonly [string, string])[] = [
    ['x = n + 1', '<null>'],
    ['x = n == n', '<null>'],
    ['x = b and false', 'false'],
    ['x = false and b', 'false'],
    ['x = b and true', '<null>'],
    ['x = true and b', '<null>'],
    ['x = b or true', 'true'],
    ['x = b or false', '<null>'],
    ['x = not b', '<null>'],
    ['x = exists n', 'false'],
    ['x = if b then 1 else 2', '2'],
    ['x = int(v: n)', '<null>'],
    ['x = -n', '<null>'],
  ]
  test.each(cases)('%s', async (script, expected) => {
    expect(await shown(nulls + script)).toBe(expected)
  })

  test('a column that a row lacks', async () => {
    const script = `import "array"
      import "internal/debug"
      array.from(rows: [{a: 1}]) |> debug.opaque() |> map(fn: (r) => ({a: r.a, e: exists r.b}))`
    expect(await runRows(script)).toEqual([{ a: 1n, e: false }])
  })
})

describe('options and what comes along', () => {
  test('now is the moment of the query until the script says otherwise', async () => {
    const options = { now: '2021-02-03T00:00:00Z' }
    expect(await shown('x = now()', options)).toBe('2021-02-03T00:00:00.000000000Z')
    const set = 'option now = () => 2000-01-01T00:00:00Z x = now()'
    expect(await shown(set, options)).toBe('2000-01-01T00:00:00.000000000Z')
  })

  test('library functions see an option that the script sets', async () => {
    expect(await shown('option now = () => 2000-01-01T13:00:00Z x = today()')).toBe(
      '2000-01-01T00:00:00.000000000Z',
    )
  })

  test('an option of one run is none of the next', async () => {
    const options = { now: '2021-02-03T00:00:00Z' }
    await shown('option now = () => 2000-01-01T00:00:00Z x = now()', options)
    expect(await shown('x = now()', options)).toBe('2021-02-03T00:00:00.000000000Z')
  })

  test('options of the script itself', async () => {
    expect(await shown('option task = {name: "t", every: 1h} x = task.every')).toBe('1h')
  })

  test('params', async () => {
    const params = new Map<string, unknown>([
      ['s', 'text'],
      ['n', 3n],
      ['f', 1.5],
      ['b', true],
      ['list', [1n, 2n]],
      ['deep', new Map([['a', new Map([['b', -4n]])]])],
    ])
    const script =
      'x = [string(v: params.n), string(v: params.f), params.s, string(v: params.deep.a.b)]'
    expect(await shown(script, { params })).toBe('[\n    3,\n    1.5,\n    text,\n    -4\n]')
    expect(await shown('x = params.b and params.list == [1, 2]', { params })).toBe('true')
  })

  test('extern statements stand before the script', async () => {
    const extern = parseFlux(
      'import "strings"\noption v = {start: -1h}\nshout = (s) => strings.toUpper(v: s)',
    )
    expect(await shown('x = shout(s: string(v: v.start))', { extern })).toBe('-1H')
  })
})

describe('results', () => {
  const from = 'import "array"\ndata = array.from(rows: [{_value: 1}, {_value: 2}])\n'
  const names = async (script: string) => (await runFlux(from + script)).map(({ name }) => name)

  test('a stream that stands alone', async () => {
    expect(await names('data')).toEqual(['_result'])
  })

  test('yields have their names, in their order', async () => {
    expect(await names('data |> yield(name: "b") |> limit(n: 1) |> yield(name: "a")')).toEqual([
      'b',
      'a',
    ])
    expect(await names('data |> yield()')).toEqual(['_result'])
  })

  test('what others are made from is no result', async () => {
    expect(await names('data\ndata |> limit(n: 1)')).toEqual(['_result'])
  })

  test('a yield inside a function counts', async () => {
    expect(await names('f = (t=<-) => t |> yield(name: "in")\nx = data |> f()')).toEqual(['in'])
  })

  test('two of one name, and none', async () => {
    expect(await fluxError(`${from}data |> limit(n: 1)\ndata |> limit(n: 2)`)).toBe(
      'failed to initialize execute state: tried to produce more than one result with the name "_result"',
    )
    expect(
      await fluxError(`${from}data |> yield(name: "a")\ndata |> limit(n: 1) |> yield(name: "a")`),
    ).toBe(
      'error in building plan while starting program: found more than one call to yield() with the name "a"',
    )
    expect(await fluxError('x = 1')).toBe(
      'error in query specification while starting program: this Flux script returns no streaming data. ' +
        'Consider adding a "yield" or invoking streaming functions directly, without performing an assignment',
    )
  })
})

describe('errors tell where', () => {
  const cases: readonly (readonly [string, string])[] = [
    [
      'x = int(v: "a")',
      'error calling function "int" @1:5-1:16: cannot convert string "a" to int due to invalid syntax',
    ],
    [
      'f = (v) => int(v: v)\nx = f(v: "a")',
      'error calling function "f" @2:5-2:14: error calling function "int" @1:12-1:21: ' +
        'cannot convert string "a" to int due to invalid syntax',
    ],
    [
      '_f = (v) => int(v: v)\nx = _f(v: "a")',
      'error calling function "int" @1:13-1:22: cannot convert string "a" to int due to invalid syntax',
    ],
    [
      'x = (() => die(msg: "no"))()',
      'error calling function "<anonymous function>" @1:5-1:29: error calling function "die" @1:12-1:26: no',
    ],
    ['x = [1][1]', 'cannot access element 1 of array of length 1'],
    ['x = [1][-1]', 'cannot access element -1 of array of length 1'],
    ['x = 1 / 0', 'cannot divide by zero'],
    [
      `import "internal/debug"\nx = "\${debug.null(type: "int")}"`,
      '2:6-2:32: interpolated expression produced a null value',
    ],
    [
      'import "array"\narray.from(rows: [{a: "x"}])\n  |> map(fn: (r) => ({a: int(v: r.a)}))',
      'runtime error @3:6-3:40: map: failed to evaluate map function: ' +
        'cannot convert string "x" to int due to invalid syntax',
    ],
    [
      'import "array"\nf = (t=<-) => t |> map(fn: (r) => ({a: 1 / r.a}))\narray.from(rows: [{a: 0}]) |> f()',
      'runtime error @2:20-2:50: map: failed to evaluate map function: cannot divide by zero',
    ],
    ['x = y', 'compilation failed: error @1:5-1:6: undefined identifier y'],
    ['import "no/such"', 'compilation failed: error @1:1-1:17: invalid import path no/such'],
    [
      'x = 1 +',
      'compilation failed: error @1:8-1:8: invalid expression: invalid token for primary expression: EOF',
    ],
  ]
  test.each(cases)('%s', async (script, message) => {
    expect(await fluxError(script)).toContain(message)
  })

  test('whatever is wrong with the script is the asker’s mistake', async () => {
    await expect(runFlux('x = int(v: "a")')).rejects.toMatchObject({ code: 'invalid', status: 400 })
    await expect(runFlux('x = [1][5]')).rejects.toBeInstanceOf(UserError)
  })
})

describe('waiting', () => {
  const tables = `import "array"
    import "internal/debug"
    rec = () => array.from(rows: [{k: "a", _value: 3}]) |> findRecord(fn: (key) => true, idx: 0)\n`
  const cases: readonly (readonly [string, string])[] = [
    ['x = rec()._value + 1', '4'],
    ['x = 1 + rec()._value', '4'],
    ['x = [1, rec()._value, 2]', '[1, 3, 2]'],
    ['x = {a: rec()._value, b: 1}', '{a: 3, b: 1}'],
    ['r = rec() x = {r with b: rec()._value}', '{_value: 3, b: 3, k: a}'],
    [`x = "\${rec()._value}!"`, '3!'],
    ['x = if rec()._value > 2 then rec()._value else 0', '3'],
    ['x = rec()._value > 2 and rec()._value < 4', 'true'],
    ['x = not (rec()._value > 2)', 'false'],
    ['x = [1, 2, 3, 4][rec()._value]', '4'],
    ['x = [rec()._value: rec().k]', '[3: a]'],
    ['f = (v=rec()._value, w) => { a = rec()._value b = a + v return b + w } x = f(w: 1)', '7'],
    ['f = (v) => v x = f(v: rec()._value)', '3'],
    ['x = array.map(arr: [1, 2], fn: (x) => x + rec()._value)', '[4, 5]'],
  ]
  test.each(cases)('%s', async (script, expected) => {
    const text = `${tables}${script}\narray.from(rows: [{x: display(v: x)}])`
    expect(await runRows(text)).toEqual([{ x: expected }])
  })
})
