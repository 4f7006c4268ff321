// Functions that change the shape of tables: the same windows in whatever way they leave, and what is kept in memory
// meanwhile. What they give is shown in corpus/flux/tables.

import { describe, expect, test } from 'vitest'
import { fluxError, runFlux, runRows } from './run-flux.js'

const data = `import "array"
data = array.from(rows: [
    {_time: 2020-01-01T00:00:00Z, t: "a", _value: 1},
    {_time: 2020-01-01T00:20:00Z, t: "b", _value: 2},
    {_time: 2020-01-01T00:40:00Z, t: "a", _value: 3},
    {_time: 2020-01-01T01:00:00Z, t: "b", _value: 4},
    {_time: 2020-01-01T01:20:00Z, t: "a", _value: 5},
])
ranged = data |> range(start: 2020-01-01T00:00:00Z, stop: 2020-01-01T02:00:00Z)
`

test('tables give the same windows whether each leaves as it comes or all at the end', async () => {
  for (const call of [
    'window(every: 13m)',
    'window(every: 13m, period: 31m, offset: 2m)',
    'window(every: 13m, createEmpty: true)',
  ]) {
    const asTheyCome = `ranged |> group(columns: ["t"]) |> ${call} |> count()`
    const atEnd = `ranged |> group(columns: ["t"]) |> map(fn: (r) => r) |> ${call} |> count()`
    const before = await runRows(data + asTheyCome)
    expect(before.length).toBeGreaterThan(3)
    // Each table has a row, with its key in it.
    const after = await runRows(data + atEnd)
    expect(after).toHaveLength(before.length)
    expect(after).toEqual(expect.arrayContaining(before))
  }
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
