// Functions that change the shape of tables, by script: rows in, rows and keys out, and the words of
// their refusals.

import { describe, expect, test } from 'vitest'
import { rfc3339Text } from '../../src/flux/value/time.js'
import type { Cell, CellType } from '../../src/query/table.js'
import { fluxError, type PlainTable, type RunOptions, runFlux } from './run-flux.js'

function cellText(type: CellType, cell: Cell | null): string {
  if (cell === null) return '-'
  return type === 'time' ? rfc3339Text(cell as bigint).slice(11, 19) : String(cell)
}

/** `key: column=cell …` and a line per row; cells of columns outside the key, by name. */
function shown({ columns, key, rows }: PlainTable): string[] {
  const types = new Map(columns.map(({ name, type }) => [name, type]))
  const text = (name: string, cell: Cell | null) => cellText(types.get(name)!, cell)
  const head = [...key].map(([name, cell]) => `${name}=${text(name, cell)}`).sort()
  const others = columns.map(({ name }) => name).filter((name) => !key.has(name))
  const lines = rows.map((row) => others.map((n) => `${n}=${text(n, row.get(n)!)}`).join(' '))
  return [`[${head.join(' ')}]`, ...lines]
}

async function show(script: string, options: RunOptions = {}): Promise<string[]> {
  const text = `${imports}\n${data}\n${script}`
  const results = await runFlux(text, options)
  return results.flatMap(({ tables }) => tables.flatMap(shown))
}

function failure(script: string, options: RunOptions = {}): Promise<string> {
  return fluxError(`${imports}\n${data}\n${script}`, options)
}

const imports = 'import "array"\nimport "internal/debug"\nimport "timezone"'

const data = `
data = array.from(rows: [
    {_time: 2020-01-01T00:00:00Z, t: "a", _value: 1},
    {_time: 2020-01-01T00:20:00Z, t: "b", _value: 2},
    {_time: 2020-01-01T00:40:00Z, t: "a", _value: 3},
    {_time: 2020-01-01T01:00:00Z, t: "b", _value: 4},
    {_time: 2020-01-01T01:20:00Z, t: "a", _value: 5},
])
ranged = data |> range(start: 2020-01-01T00:00:00Z, stop: 2020-01-01T02:00:00Z)
`

describe('rows', () => {
  test('range keeps [start, stop) and says the bounds in the key', async () => {
    expect(
      await show(`data |> range(start: 2020-01-01T00:20:00Z, stop: 2020-01-01T01:00:00Z)`),
    ).toEqual([
      '[_start=00:20:00 _stop=01:00:00]',
      '_time=00:20:00 t=b _value=2',
      '_time=00:40:00 t=a _value=3',
    ])
  })

  test('a second range narrows the first, in rows and in the key', async () => {
    const script = 'ranged |> range(start: 2020-01-01T01:00:00Z, stop: 2020-01-01T05:00:00Z)'
    expect(await show(script)).toEqual([
      '[_start=01:00:00 _stop=02:00:00]',
      '_time=01:00:00 t=b _value=4',
      '_time=01:20:00 t=a _value=5',
    ])
  })

  test('range counts durations from now, and integers as seconds', async () => {
    const options = { now: '2020-01-01T02:00:00Z' }
    const expected = ['[_start=01:10:00 _stop=02:00:00]', '_time=01:20:00 t=a _value=5']
    expect(await show('data |> range(start: -50m)', options)).toEqual(expected)
    expect(await show('data |> range(start: 1577841000)', options)).toEqual(expected)
  })

  test('range refuses what is empty or no time', async () => {
    expect(await failure('data |> range(start: 2020-01-02T00:00:00Z, stop: -11y)')).toBe(
      'error in building plan while starting program: cannot query an empty range',
    )
    const script = 'data |> drop(columns: ["_time"]) |> range(start: 0)'
    expect(await failure(script)).toContain("supplied time column _time doesn't exist")
  })

  test('filter drops emptied tables unless asked to keep them; null is not true', async () => {
    const grouped = 'data |> group(columns: ["t"])'
    expect(await show(`${grouped} |> filter(fn: (r) => r._value > 4)`)).toEqual([
      '[t=a]',
      '_time=01:20:00 _value=5',
    ])
    expect(await show(`${grouped} |> filter(fn: (r) => r._value > 4, onEmpty: "keep")`)).toEqual([
      '[t=a]',
      '_time=01:20:00 _value=5',
      '[t=b]',
    ])
    expect(await show('data |> debug.opaque() |> filter(fn: (r) => r.missing == "x")')).toEqual([])
    expect(await failure('data |> filter(fn: (r) => true, onEmpty: "x")')).toContain(
      'onEmpty must be keep or drop, was "x"',
    )
  })

  test('limit and tail with offsets', async () => {
    const values = async (call: string) => (await show(`data |> ${call}`)).slice(1).join()
    expect(await values('limit(n: 2)')).toMatch(/_value=1.*_value=2/)
    expect(await values('limit(n: 1, offset: 3)')).toBe('_time=01:00:00 t=b _value=4')
    expect(await values('limit(n: 0)')).toBe('')
    expect(await values('tail(n: 1)')).toBe('_time=01:20:00 t=a _value=5')
    expect(await values('tail(n: 1, offset: 4)')).toBe('_time=00:00:00 t=a _value=1')
    expect(await values('tail(n: 9, offset: 4)')).toBe('_time=00:00:00 t=a _value=1')
    expect(await failure('data |> limit(n: 1, offset: -1)')).toContain(
      'limit offset cannot be negative (-1)',
    )
  })

  test('sort is stable, puts nulls first both ways, and skips columns that are not there', async () => {
    const rows =
      'array.from(rows: [{k: 2, v: "x"}, {k: 1, v: "y"}, {k: debug.null(type: "int"), v: "z"}, {k: 1, v: "w"}])'
    const order = async (call: string) => {
      return (await show(`${rows} |> ${call}`)).slice(1).map((line) => line.replace(/.*v=/, ''))
    }
    expect(await order('sort(columns: ["k"])')).toEqual(['z', 'y', 'w', 'x'])
    expect(await order('sort(columns: ["k"], desc: true)')).toEqual(['z', 'x', 'y', 'w'])
    expect(await order('sort(columns: ["nothing", "v"])')).toEqual(['w', 'x', 'y', 'z'])
  })

  test('sample takes every n-th row', async () => {
    expect(await show('data |> sample(n: 2, pos: 1) |> keep(columns: ["_value"])')).toEqual([
      '[]',
      '_value=2',
      '_value=4',
    ])
    expect(await failure('data |> sample(n: 2, pos: 2)')).toContain(
      'pos must be less than n, but 2 >= 2',
    )
    expect(await failure('data |> sample(n: 0)')).toContain(
      'n must be a positive integer, but was 0',
    )
  })

  test('distinct, unique', async () => {
    expect(await show('data |> distinct(column: "t")')).toEqual(['[]', '_value=a', '_value=b'])
    expect(await show('data |> group(columns: ["t"]) |> distinct(column: "t")')).toEqual([
      '[t=a]',
      '_value=a',
      '[t=b]',
      '_value=b',
    ])
    expect(await show('data |> unique(column: "t")')).toEqual([
      '[]',
      '_time=00:00:00 t=a _value=1',
      '_time=00:20:00 t=b _value=2',
    ])
    expect(await failure('data |> unique(column: "x")')).toContain('no column "x" exists')
  })

  test('hourSelection goes by the clocks of a place', async () => {
    expect(
      await show('data |> hourSelection(start: 1, stop: 2) |> keep(columns: ["_value"])'),
    ).toEqual(['[]', '_value=4', '_value=5'])
    const script = `option location = timezone.fixed(offset: -1h)
data |> hourSelection(start: 23, stop: 23) |> keep(columns: ["_value"])`
    expect(await show(script)).toEqual(['[]', '_value=1', '_value=2', '_value=3'])
  })
})

describe('columns', () => {
  test('keep and drop merge tables that lose what made them different', async () => {
    const grouped = 'data |> group(columns: ["t"])'
    expect(await show(`${grouped} |> drop(columns: ["t", "_time"])`)).toEqual([
      '[]',
      '_value=1',
      '_value=3',
      '_value=5',
      '_value=2',
      '_value=4',
    ])
    expect(
      await show(`${grouped} |> keep(fn: (column) => column == "_value") |> limit(n: 1)`),
    ).toEqual(['[]', '_value=1'])
    expect(await show('data |> keep(columns: ["nothing"])')).toEqual(['[]'])
    expect(await failure('data |> keep()')).toContain(
      'keep error: neither column list nor predicate function provided',
    )
  })

  test('merging refuses columns of two types', async () => {
    const script = `a = array.from(rows: [{k: "a", v: 1}]) |> group(columns: ["k"])
b = array.from(rows: [{k: "b", v: 1.0}]) |> group(columns: ["k"])
union(tables: [a |> debug.opaque(), b |> debug.opaque()]) |> group()`
    expect(await failure(script)).toContain('schema collision detected: column "v" is both of type')
  })

  test('rename, duplicate, set', async () => {
    expect(
      await show('data |> rename(columns: {t: "u"}) |> group(columns: ["u"]) |> limit(n: 1)'),
    ).toEqual(['[u=a]', '_time=00:00:00 _value=1', '[u=b]', '_time=00:20:00 _value=2'])
    expect(await failure('data |> rename(columns: {x: "u"})')).toContain(
      'rename error: column "x" doesn\'t exist',
    )
    expect(await failure('data |> rename(columns: {t: "_value"})')).toContain(
      'column 1 and 2 have the same name ("_value") which is not allowed',
    )
    expect(await show('data |> limit(n: 1) |> duplicate(column: "_value", as: "x")')).toEqual([
      '[]',
      '_time=00:00:00 t=a _value=1 x=1',
    ])
    expect(await failure('data |> duplicate(column: "x", as: "y")')).toContain(
      'duplicate error: column "x" doesn\'t exist',
    )
    const regrouped = 'data |> group(columns: ["t"]) |> set(key: "t", value: "c") |> limit(n: 1)'
    expect(await show(regrouped)).toEqual(['[t=c]', '_time=00:00:00 _value=1'])
  })

  test('map: the key follows the record', async () => {
    const grouped = 'data |> group(columns: ["t"])'
    expect(await show(`${grouped} |> map(fn: (r) => ({v: r._value * 10})) |> limit(n: 1)`)).toEqual(
      ['[]', 'v=10'],
    )
    expect(await show(`${grouped} |> map(fn: (r) => ({t: "c", v: r._value}))`)).toEqual([
      '[t=c]',
      'v=1',
      'v=3',
      'v=5',
      'v=2',
      'v=4',
    ])
    const changing = 'map(fn: (r) => ({r with t: if r._value > 2 then "x" else r.t}))'
    expect(await show(`${grouped} |> ${changing} |> count()`)).toEqual([
      '[t=a]',
      '_value=1',
      '[t=x]',
      '_value=3',
      '[t=b]',
      '_value=1',
    ])
  })

  test('map: branches of different records, columns of nulls, values that no column holds', async () => {
    const branches = 'if r.t == "a" then {r with x: 1} else {r with x: 2}'
    expect(await show(`data |> map(fn: (r) => ${branches}) |> sum(column: "x")`)).toEqual([
      '[]',
      'x=7',
    ])
    expect(
      await show(
        'data |> limit(n: 1) |> debug.opaque() |> map(fn: (r) => ({a: r.none, b: float(v: r.none)}))',
      ),
    ).toEqual(['[]', 'b=-'])
    expect(await failure('data |> map(fn: (r) => ({a: [1]}))')).toContain(
      'map object property "a" is array type which is not supported in a flux table',
    )
  })

  test('map: what the function fails with', async () => {
    expect(await failure('data |> map(fn: (r) => ({a: int(v: r.t)}))')).toMatch(
      /^runtime error @.*: map: failed to evaluate map function: cannot convert string "a" to int/,
    )
  })

  test('reduce: key and result, and two tables onto one key', async () => {
    const sum = 'fn: (r, accumulator) => ({s: accumulator.s + r._value}), identity: {s: 0}'
    expect(await show(`data |> group(columns: ["t"]) |> reduce(${sum})`)).toEqual([
      '[t=a]',
      's=9',
      '[t=b]',
      's=6',
    ])
    const same = 'fn: (r, accumulator) => ({t: "x"}), identity: {t: ""}'
    expect(await failure(`data |> group(columns: ["t"]) |> reduce(${same})`)).toContain(
      'two reducers writing result to the same table',
    )
  })

  test('reduce: a record that shows the row is not the row of later', async () => {
    const last = `fn: (r, accumulator) => ({r with n: accumulator.n + 1}),
      identity: {_time: 2020-01-01T00:00:00Z, t: "", _value: 0, n: 0}`
    expect(await show(`data |> reduce(${last})`)).toEqual(['[]', '_time=01:20:00 _value=5 n=5 t=a'])
  })

  test('fill with a value, with the one before, in a column that is not there', async () => {
    const holes = 'array.from(rows: [{v: none}, {v: 1.5}, {v: none}, {v: 2.5}, {v: none}])'
    const values = async (call: string) =>
      (await show(`none = debug.null(type: "float")\n${holes} |> ${call}`))
        .slice(1)
        .map((line) => line.replace(/.*v=/, ''))
    expect(await values('fill(column: "v", value: 0.0)')).toEqual(['0', '1.5', '0', '2.5', '0'])
    expect(await values('fill(column: "v", usePrevious: true)')).toEqual([
      '-',
      '1.5',
      '1.5',
      '2.5',
      '2.5',
    ])
    expect((await show('data |> limit(n: 1) |> fill(column: "x", value: "y")'))[1]).toContain('x=y')
    expect(await failure('data |> fill(column: "t", value: 1)')).toContain(
      'fill column type mismatch: string/int',
    )
    expect(await failure('data |> fill(column: "t")')).toContain(
      'fill requires exactly one of value or usePrevious',
    )
  })

  test('columns, keys, keyValues', async () => {
    const grouped = 'data |> group(columns: ["t"]) |> limit(n: 1)'
    expect(await show(`${grouped} |> columns() |> group() |> distinct()`)).toEqual([
      '[]',
      '_value=_time',
      '_value=t',
      '_value=_value',
    ])
    expect(await show(`${grouped} |> keys(column: "k")`)).toEqual(['[t=a]', 'k=t', '[t=b]', 'k=t'])
    expect(await show('data |> keyValues(keyColumns: ["t"])')).toEqual([
      '[]',
      '_key=t _value=a',
      '_key=t _value=b',
    ])
    expect(await failure('data |> keyValues(keyColumns: ["x"])')).toContain(
      'received table with columns [_time t _value] not having key columns [x]',
    )
  })

  test('pivot: holes, later values win, several keys in a name', async () => {
    const rows = `array.from(rows: [
      {_time: 2020-01-01T00:00:00Z, f: "a", g: 1, _value: 1.0},
      {_time: 2020-01-01T00:00:00Z, f: "b", g: 2, _value: 2.0},
      {_time: 2020-01-01T00:00:01Z, f: "a", g: 1, _value: 3.0},
      {_time: 2020-01-01T00:00:01Z, f: "a", g: 1, _value: 4.0}])`
    const pivot = 'pivot(rowKey: ["_time"], columnKey: ["f", "g"], valueColumn: "_value")'
    expect(await show(`${rows} |> ${pivot}`)).toEqual([
      '[]',
      '_time=00:00:00 a_1=1 b_2=2',
      '_time=00:00:01 a_1=4 b_2=-',
    ])
    const clash = `data |> map(fn: (r) => ({r with t: "_time"}))
      |> pivot(rowKey: ["_time"], columnKey: ["t"], valueColumn: "_value")`
    expect(await failure(clash)).toContain(
      'value "_time" appears in a column key column, but a column named "_time" already exists; consider renaming',
    )
    const missing = 'data |> pivot(rowKey: ["x"], columnKey: ["t"], valueColumn: "_value")'
    expect(await failure(missing)).toContain('specified row key column does not exist in table: x')
  })
})

describe('windows', () => {
  test('rows in several windows, in none, and windows cut at the bounds', async () => {
    const counts = async (call: string) => {
      const lines = await show(`ranged |> ${call} |> count() |> group()`)
      return lines
        .slice(1)
        .map((line) => line.replace(/_start=(\S+) _stop=(\S+) _value=/, '$1-$2 '))
    }
    expect(await counts('window(every: 1h)')).toEqual([
      '00:00:00-01:00:00 3',
      '01:00:00-02:00:00 2',
    ])
    expect(await counts('window(every: 1h, period: 10m)')).toEqual([
      '00:00:00-00:10:00 1',
      '01:00:00-01:10:00 1',
    ])
    expect(await counts('window(every: 1h, period: 2h)')).toEqual([
      '00:00:00-01:00:00 3',
      '00:00:00-02:00:00 5',
      '01:00:00-02:00:00 2',
    ])
    expect(await counts('window(every: 45m, createEmpty: true)')).toEqual([
      '00:00:00-00:45:00 3',
      '00:45:00-01:30:00 2',
      '01:30:00-02:00:00 0',
    ])
    expect(await counts('window(every: inf)')).toEqual(['00:00:00-02:00:00 5'])
  })

  test('aggregateWindow puts back together what it took apart', async () => {
    const grouped = 'ranged |> group(columns: ["t"])'
    const call = 'aggregateWindow(every: 30m, fn: sum)'
    expect(await show(`${grouped} |> ${call}`)).toEqual([
      '[_start=00:00:00 _stop=02:00:00 t=a]',
      '_value=1 _time=00:30:00',
      '_value=3 _time=01:00:00',
      '_value=5 _time=01:30:00',
      '_value=- _time=02:00:00',
      '[_start=00:00:00 _stop=02:00:00 t=b]',
      '_value=2 _time=00:30:00',
      '_value=- _time=01:00:00',
      '_value=4 _time=01:30:00',
      '_value=- _time=02:00:00',
    ])
    expect(
      await show(
        `${grouped} |> aggregateWindow(every: 1h, fn: last, createEmpty: false, timeSrc: "_start")`,
      ),
    ).toEqual([
      '[_start=00:00:00 _stop=02:00:00 t=a]',
      '_time=00:00:00 _value=3',
      '_time=01:00:00 _value=5',
      '[_start=00:00:00 _stop=02:00:00 t=b]',
      '_time=00:00:00 _value=2',
      '_time=01:00:00 _value=4',
    ])
  })

  test('tables give the same windows whether they may leave at once or not', async () => {
    for (const call of [
      'window(every: 13m)',
      'window(every: 13m, period: 31m, offset: 2m)',
      'window(every: 13m, createEmpty: true)',
    ]) {
      const atOnce = `ranged |> group(columns: ["t"]) |> ${call} |> count()`
      const atEnd = `ranged |> group(columns: ["t"]) |> map(fn: (r) => r) |> ${call} |> count()`
      const before = await show(atOnce)
      expect(before.length).toBeGreaterThan(6)
      // Without rows `map` drops nothing here; the tables are the same, sorted by key.
      expect((await show(atEnd)).join('\n').split('\n[').sort()).toEqual(
        before.join('\n').split('\n[').sort(),
      )
    }
  })

  test('what windows cannot do without', async () => {
    expect(await failure('data |> window(every: 1h)')).toBe(
      'failed to initialize execute state: nil bounds passed to window; use range to set the window range',
    )
    expect(await failure('ranged |> window()')).toContain(
      'window function requires at least one of "every" or "period" to be set and non-zero',
    )
    expect(await failure('ranged |> window(every: -1h)')).toContain(
      'parameter "every" must be non-negative',
    )
    expect(await failure('ranged |> drop(columns: ["_time"]) |> window(every: 1h)')).toContain(
      'missing time column "_time"',
    )
    expect(await failure('ranged |> window(every: 1mo1d)')).toContain(
      'duration used as an interval cannot mix month and nanosecond units',
    )
  })

  test('timeShift moves times, keys and the bounds that windows go by', async () => {
    expect(await show('ranged |> timeShift(duration: 1h) |> window(every: 1h) |> count()')).toEqual(
      [
        '[_start=01:00:00 _stop=02:00:00]',
        '_value=3',
        '[_start=02:00:00 _stop=03:00:00]',
        '_value=2',
      ],
    )
  })
})

describe('tables out of streams', () => {
  test('tableFind, getColumn, getRecord, findColumn, findRecord', async () => {
    const script = `grouped = data |> group(columns: ["t"])
table = grouped |> tableFind(fn: (key) => key.t == "b")
values = table |> getColumn(column: "_value")
record = table |> getRecord(idx: 1)
found = grouped |> findColumn(fn: (key) => key.t == "a", column: "_value")
none = grouped |> findColumn(fn: (key) => key.t == "z", column: "_value")
row = grouped |> findRecord(fn: (key) => key.t == "a", idx: 2)
array.from(rows: [{a: values[0], b: record._value, c: length(arr: found), d: length(arr: none), e: row._value}])`
    expect(await show(script)).toEqual(['[]', 'a=2 b=4 c=3 d=0 e=5'])
    expect(await failure('x = data |> tableFind(fn: (key) => false)')).toContain('no table found')
    const outside = 'x = data |> tableFind(fn: (key) => true) |> getRecord(idx: 9)'
    expect(await failure(outside)).toContain('index out of bounds: 9')
    const column = 'x = data |> tableFind(fn: (key) => true) |> getColumn(column: "q")'
    expect(await failure(column)).toContain('cannot find column q')
  })

  test('stateCount and stateDuration', async () => {
    const state = 'fn: (r) => r._value >= 2 and r._value <= 4'
    expect(await show(`data |> stateCount(${state}) |> keep(columns: ["stateCount"])`)).toEqual([
      '[]',
      ...[-1, 1, 2, 3, -1].map((n) => `stateCount=${n}`),
    ])
    const duration = `data |> stateDuration(${state}, unit: 1m) |> keep(columns: ["stateDuration"])`
    expect(await show(duration)).toEqual([
      '[]',
      ...[-1, 0, 20, 40, -1].map((n) => `stateDuration=${n}`),
    ])
  })

  test('highest and lowest of groups', async () => {
    const of = (call: string) => show(`data |> ${call} |> keep(columns: ["t", "_value"])`)
    expect(await of('highestMax(n: 1, groupColumns: ["t"])')).toEqual(['[]', 't=a _value=5'])
    expect(await of('lowestMin(n: 1, groupColumns: ["t"])')).toEqual(['[]', 't=a _value=1'])
    expect(await of('highestAverage(n: 2, groupColumns: ["t"])')).toHaveLength(3)
    expect(await of('top(n: 2)')).toEqual(['[]', 't=a _value=5', 't=b _value=4'])
  })
})

describe('memory', () => {
  const options = { limits: { memoryBytesMax: 100_000 } }
  const many = `import "generate"
data = generate.from(start: 2020-01-01T00:00:00Z, stop: 2020-01-02T00:00:00Z, count: 20000, fn: (n) => n)
  |> range(start: 2020-01-01T00:00:00Z, stop: 2020-01-02T00:00:00Z)
`
  test.each([
    'sort(desc: true)',
    'group(columns: ["_value"])',
    'pivot(rowKey: ["_time"], columnKey: ["_value"], valueColumn: "_value")',
    'distinct()',
    'tail(n: 20000)',
    'map(fn: (r) => ({v: r._value}))',
    'window(every: 1s, createEmpty: true)',
  ])('%s counts what it keeps', async (call) => {
    expect(await fluxError(`${many}data |> ${call}`, options)).toContain(
      'memory allocation limit reached: limit 100000 bytes',
    )
  })

  test.each([
    'filter(fn: (r) => r._value >= 0)',
    'limit(n: 15000)',
    'map(fn: (r) => ({r with x: 1}))',
    'fill(value: 1)',
  ])('%s keeps nothing', async (call) => {
    const [{ tables }] = await runFlux(`${many}data |> ${call} |> count()`, options)
    expect(tables).toHaveLength(1)
  })
})
