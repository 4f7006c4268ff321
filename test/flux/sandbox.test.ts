// Nothing that a script says reaches JavaScript: no prototypes, no constructors, no globals. And nothing
// that it computes goes on without end.

import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { UserError } from '../../src/errors.js'
import { parseFlux } from '../../src/flux/syntax/parser.js'
import { systemClock } from '../../src/platform/clock.js'
import { words } from './fuzz-scripts.js'
import { fluxError, runFlux, runRows, storeWith } from './run-flux.js'

const names = [
  'constructor',
  '__proto__',
  'prototype',
  'toLocaleString',
  'hasOwnProperty',
  'valueOf',
  '__defineGetter__',
]
const opaque = 'import "array"\nimport "internal/debug"\n'

afterEach(() => {
  expect(Object.keys(Object.prototype)).toEqual([])
  expect(({} as Record<string, unknown>).polluted).toBeUndefined()
})

describe.each(names)('the name %s', (name) => {
  test('is a name like any other for properties', async () => {
    const script = `${opaque}x = {"${name}": 1, polluted: 2}
      y = {x with "${name}": 3}
      array.from(rows: [{v: x["${name}"] + y["${name}"]}])`
    expect(await runRows(script)).toEqual([{ v: 4n }])
  })

  test('is not there in rows that have no such column', async () => {
    const script = `${opaque}array.from(rows: [{a: 1}]) |> debug.opaque()
      |> map(fn: (r) => ({a: r.a, found: exists r["${name}"]}))`
    expect(await runRows(script)).toEqual([{ a: 1n, found: false }])
  })

  test('may be a column', async () => {
    const script = `${opaque}array.from(rows: [{"${name}": 1}]) |> map(fn: (r) => ({v: r["${name}"] + 1}))`
    expect(await runRows(script)).toEqual([{ v: 2n }])
  })

  test('is no name of the script', async () => {
    expect(await fluxError(`x = ${name}`)).toBe(
      `compilation failed: error @1:5-1:${5 + name.length}: undefined identifier ${name}`,
    )
  })

  test('is nothing that packages, functions, arrays or texts have', async () => {
    for (const value of ['array', '(() => 1)', '[1]', '"text"', '1', '1h']) {
      await expect(runFlux(`import "array"\nx = ${value}["${name}"]`)).rejects.toBeInstanceOf(
        UserError,
      )
    }
  })

  test('may be a parameter, an option and a key of params', async () => {
    if (name.startsWith('__')) return
    expect(
      await runRows(
        `import "array"\nf = (${name}) => ${name} + 1\narray.from(rows: [{v: f(${name}: 1)}])`,
      ),
    ).toEqual([{ v: 2n }])
    const params = new Map([[name, 5n]])
    expect(
      await runRows(`import "array"\narray.from(rows: [{v: params["${name}"]}])`, { params }),
    ).toEqual([{ v: 5n }])
  })

  test('is no package', async () => {
    expect(await fluxError(`import "${name}"`)).toContain('invalid import path')
  })
})

describe.each([...names, 'toString', '__lookupGetter__', 'then'])('a column %s', (name) => {
  const rows = (extra = '') =>
    `${opaque}import "csv"\nimport "dict"\nimport "json"\nimport "join"\nimport "experimental/dynamic"
    a = array.from(rows: [{k: "x", "${name}": "p", v: 1}, {k: "y", "${name}": "q", v: 2}])\n${extra}`

  test('is grouped by, kept, renamed, duplicated and dropped', async () => {
    const script = `a |> group(columns: ["${name}"]) |> duplicate(column: "${name}", as: "copy")
      |> keep(columns: ["${name}", "copy", "v"]) |> rename(columns: {copy: "c"}) |> drop(columns: ["c"])`
    const [{ tables }] = await runFlux(rows(script))
    expect(tables.map(({ key }) => key)).toEqual([new Map([[name, 'p']]), new Map([[name, 'q']])])
    expect(tables.map((table) => table.rows[0].get(name))).toEqual(['p', 'q'])
  })

  test('comes from a pivot, a rename, a set and a map', async () => {
    for (const step of [
      `map(fn: (r) => ({r with c: "${name}"})) |> pivot(rowKey: ["k"], columnKey: ["c"], valueColumn: "v")`,
      `drop(columns: ["${name}"]) |> rename(columns: {v: "${name}"})`,
      `drop(columns: ["${name}"]) |> rename(fn: (column) => if column == "v" then "${name}" else column)`,
      `map(fn: (r) => ({"${name}": r.v}))`,
      `map(fn: (r) => ({r with "${name}": r.v}))`,
      `reduce(fn: (r, accumulator) => ({"${name}": accumulator["${name}"] + r.v}), identity: {"${name}": 0})`,
    ]) {
      const [{ tables }] = await runFlux(rows(`a |> ${step}`))
      const { columns } = tables[0]
      expect(columns.map((column) => column.name)).toContain(name)
      expect(tables[0].rows[0].has(name)).toBe(true)
    }
  })

  test('is joined on', async () => {
    const script = `join.full(left: a, right: a, on: (l, r) => l["${name}"] == r["${name}"],
      as: (l, r) => ({"${name}": l["${name}"], v: r.v})) |> sort(columns: ["${name}"])`
    const [{ tables }] = await runFlux(rows(script))
    const found = tables[0].rows.map((row) => [row.get(name), row.get('v')])
    expect(found).toEqual([
      ['p', 1n],
      ['q', 2n],
    ])
  })

  test('is found in CSV, JSON, dictionaries and records of tables', async () => {
    const script = `d = ["${name}": 1]
      parsed = dynamic.jsonParse(data: bytes(v: "{\\"${name}\\": 4, \\"polluted\\": 1}"))
      found = csv.from(csv: "${name},b\\n5,6", mode: "raw") |> findRecord(fn: (key) => true, idx: 0)
      array.from(rows: [{
        dict: dict.get(dict: d, key: "${name}", default: 0), none: dict.get(dict: ["a": 1], key: "${name}", default: 9),
        json: string(v: json.encode(v: {"${name}": 1})), parsed: exists parsed["${name}"], found: found["${name}"]
      }])`
    expect(await runRows(rows(script))).toEqual([
      { dict: 1n, none: 9n, json: `{"${name}":1}`, parsed: true, found: '5' },
    ])
  })

  test('is written as a tag and a field, and read again', async () => {
    const world = await storeWith(`m,${name}=a ${name}=1,f=2 1`)
    try {
      const written: string[] = []
      const script = `from(bucket: "b") |> range(start: 0)
        |> filter(fn: (r) => r["${name}"] == "a" and r._field == "${name}")
        |> to(bucket: "b", tagColumns: ["${name}"], fieldFn: (r) => ({"${name}": r._value}))`
      const write = async (_: unknown, lines: Uint8Array) => {
        written.push(Buffer.from(lines).toString())
      }
      await runFlux(script, { store: world.engine, scope: { write } })
      expect(written.join('').trim()).toBe(`m,${name}=a ${name}=1 1`)
    } finally {
      await world.close()
    }
  })

  test('is a name of packages and options only where somebody gave it', async () => {
    expect(await fluxError(`import "array"\noption array["${name}"] = 1`)).toContain(
      'compilation failed',
    )
    // A word of the language is no name.
    if (name.startsWith('__') || name === 'then') return
    const renamed = `import ${name} "array"\noption ${name}.x = 1\n${name}.from(rows: [{v: 1}])`
    await expect(runFlux(renamed)).rejects.toBeInstanceOf(UserError)
    const alias = `import ${name} "array"\n${name}.from(rows: [{v: 1}])`
    expect(await runRows(alias)).toEqual([{ v: 1n }])
    const option = `import "array"\noption ${name} = 1\narray.from(rows: [{v: ${name}}])`
    expect(await runRows(option)).toEqual([{ v: 1n }])
  })

  test('is nothing that a tree from outside may bring along', async () => {
    const extern = parseFlux(`option o = {"${name}": 1}\nf = (r) => r["${name}"]`)
    const script = `import "array"\narray.from(rows: [{v: f(r: o)}])`
    expect(await runRows(script, { extern })).toEqual([{ v: 1n }])
  })
})

describe('endless work', () => {
  const doubling = (levels: number) =>
    Array.from({ length: levels }, (_, i) => `f${i + 1} = () => f${i}() + f${i}()`).join('\n')

  test('an exponential tree of calls', async () => {
    const script = `f0 = () => 1\n${doubling(60)}\nx = f60()`
    expect(await fluxError(script, { limits: { stepsMax: 100_000 } })).toContain(
      'the script calls functions more than 100000 times',
    )
  })

  test('the same in a row function', async () => {
    const script = `import "array"\nf0 = () => 1\n${doubling(60)}
      array.from(rows: [{a: 1}]) |> map(fn: (r) => ({a: r.a + f60()}))`
    expect(await fluxError(script, { limits: { stepsMax: 100_000 } })).toContain(
      'the script calls functions more than 100000 times',
    )
  })

  test('many rows are no reason to stop', async () => {
    const script = `import "array"\nimport "generate"\nf = (v) => v + 1
      generate.from(count: 5000, start: 2020-01-01T00:00:00Z, stop: 2021-01-01T00:00:00Z, fn: (n) => f(v: n))
      |> map(fn: (r) => ({r with _value: f(v: r._value)})) |> max()`
    const [row] = await runRows(script, { limits: { stepsMax: 2000 } })
    expect(row._value).toBe(5001n)
  })

  test('time that is up stops a script that computes', async () => {
    const script = `f0 = () => 1\n${doubling(60)}\nx = f60()`
    const error = fluxError(script, {
      limits: { stepsMax: 0, timeoutSeconds: 1 },
      scope: { clock: systemClock },
    })
    expect(await error).toContain('query-timeout limit exceeded')
  })

  test('a long chain of functions', async () => {
    const chain = Array.from({ length: 5000 }, (_, i) => `f${i + 1} = () => f${i}()`).join('\n')
    expect(await fluxError(`f0 = () => 1\n${chain}\nx = f5000()`)).toContain(
      'functions call each other more than',
    )
  })

  test('functions that call what they are given', async () => {
    await expect(runFlux('f = (g) => g(g: g)\nx = f(g: f)')).rejects.toBeInstanceOf(UserError)
  })

  test('texts that double', async () => {
    const lines = Array.from({ length: 60 }, (_, i) => `s${i + 1} = s${i} + s${i}`).join('\n')
    await expect(runFlux(`s0 = "0123456789"\n${lines}\nx = s60`)).rejects.toBeInstanceOf(UserError)
    const braces = Array.from({ length: 60 }, (_, i) => `s${i + 1} = "\${s${i}}\${s${i}}"`).join(
      '\n',
    )
    await expect(runFlux(`s0 = "0123456789"\n${braces}\nx = s60`)).rejects.toBeInstanceOf(UserError)
  })

  test('arrays that double', async () => {
    const lines = Array.from(
      { length: 60 },
      (_, i) => `a${i + 1} = array.concat(arr: a${i}, v: a${i})`,
    ).join('\n')
    const script = `import "array"\na0 = [1, 2, 3]\n${lines}\nx = a60`
    await expect(runFlux(script, { limits: { memoryBytesMax: 1e8 } })).rejects.toBeInstanceOf(
      UserError,
    )
  })

  test('records that double', async () => {
    const lines = Array.from({ length: 60 }, (_, i) => `r${i + 1} = {a: r${i}, b: r${i}}`).join(
      '\n',
    )
    await expect(runFlux(`r0 = {a: 1}\n${lines}\nx = display(v: r60)`)).rejects.toBeInstanceOf(
      UserError,
    )
  })

  test('a stopped query ends with the reason', async () => {
    const controller = new AbortController()
    controller.abort(new UserError('unavailable', 'stopped'))
    const running = runFlux(`f0 = () => 1\n${doubling(60)}\nx = f60()`, {
      signal: controller.signal,
      limits: { stepsMax: 0 },
    })
    await expect(running).rejects.toThrow('stopped')
  })
})

describe('random scripts', () => {
  const tokens = [
    ...words,
    'int(v: "1")',
    'f = (a, b=2) => a + b\n',
    'x = f(a: 1)\n',
    'yield(name: "n")',
    'display(v: x)',
  ]
  const shapes = fc.oneof(
    fc.array(fc.constantFrom(...tokens), { maxLength: 30 }).map((all) => all.join(' ')),
    fc
      .array(
        fc.constantFrom(
          'a = [1, 2, 3]\n',
          'x = a[0] / (a[1] - 2)\n',
          'y = x ^ 2\n',
          'f = (v=<-, k=1) => v + k\n',
          'z = 1 |> f(k: x) |> f()\n',
          'r = {a: 1, b: "b"}\n',
          's = {r with a: "x", c: [r.a]}\n',
          'import "array"\n',
          'array.from(rows: [r]) |> map(fn: (r) => ({r with d: r.a}))\n',
          'array.from(rows: [s])\n',
          'option now = () => 2020-01-01T00:00:00Z\n',
          `q = "\${r.a} \${now()}"\n`,
        ),
        { maxLength: 12 },
      )
      .map((lines) => lines.join('')),
  )

  test('end with results or with an error that says why', async () => {
    await fc.assert(
      fc.asyncProperty(shapes, async (script) => {
        try {
          await runFlux(script, { limits: { stepsMax: 10_000, memoryBytesMax: 1e8 } })
        } catch (error) {
          if (!(error instanceof UserError)) throw error
        }
      }),
      { numRuns: 200 },
    )
  })

  test('scripts of the tests, with a word changed', async () => {
    const script = `import "array"
      f = (v, by=2.0) => { w = v * by return {v: w, label: "\${w}"} }
      a = array.map(arr: [1.0, 2.0], fn: (x) => f(v: x, by: x))
      array.from(rows: a) |> map(fn: (r) => ({r with big: r.v > 1.5 and exists r.label}))
        |> filter(fn: (r) => r.big or r.label =~ /1/) |> yield(name: "out")`
    expect(parseFlux(script).body.length).toBe(3)
    const tokens = script.split(/(?<=\W)|(?=\W)/)
    await fc.assert(
      fc.asyncProperty(
        fc.nat(tokens.length - 1),
        fc.constantFrom(...words, '', ...tokens),
        async (at, word) => {
          try {
            await runFlux(tokens.toSpliced(at, 1, word).join(''), { limits: { stepsMax: 10_000 } })
          } catch (error) {
            if (!(error instanceof UserError)) throw error
          }
        },
      ),
      { numRuns: 200 },
    )
  })
})
