// The packages array, experimental/array and generate, and the shapes of experimental, by script.

import { describe, expect, test } from 'vitest'
import { fluxError, runFlux, runRows } from './run-flux.js'

const imports = `import "array"
import "generate"
import "experimental"
import earray "experimental/array"
`

async function lines(script: string): Promise<string[]> {
  const found = await runRows(`${imports}${script}`)
  return found.map((row) => Object.values(row).map(String).join(' '))
}

describe('arrays', () => {
  test('from: columns as the records name them', async () => {
    const [{ tables }] = await runFlux(
      `${imports}array.from(rows: [{b: 1, a: "x"}, {b: 2, a: "y"}])`,
    )
    expect(tables[0].columns.map(({ name, type }) => `${name}:${type}`)).toEqual([
      'b:int',
      'a:string',
    ])
    expect(tables[0].rows).toHaveLength(2)
    expect(await fluxError(`${imports}array.from(rows: [])`)).toContain('rows must be non-empty')
    expect(await fluxError(`${imports}array.from(rows: [{a: [1]}])`)).toContain(
      'cannot represent the type [int] as column data',
    )
  })

  test('concat, map, filter and conversions', async () => {
    const script = `all = array.concat(arr: [1, 2], v: [3, 4])
      |> array.filter(fn: (x) => x != 2)
      |> array.map(fn: (x) => ({n: x * 10}))
array.from(rows: all)`
    expect(await lines(script)).toEqual(['10', '30', '40'])
    expect(await lines('array.from(rows: [{s: earray.toString(arr: [1, 2])[1]}])')).toEqual(['2'])
    expect(
      await fluxError(`${imports}array.from(rows: [{n: earray.toInt(arr: ["x"])[0]}])`),
    ).toContain('cannot convert string "x" to int due to invalid syntax')
  })

  test('generate: even distances, values of the function', async () => {
    const call = (
      count: string,
    ) => `generate.from(start: 1970-01-01T00:00:00Z, stop: 1970-01-01T00:00:01Z,
      count: ${count}, fn: (n) => n * n) |> keep(columns: ["_time", "_value"])`
    expect(await lines(call('4'))).toEqual(['0 0', '250000000 1', '500000000 4', '750000000 9'])
    expect(await lines(`${call('9000')} |> count()`)).toEqual(['9000'])
    expect(await fluxError(`${imports}${call('0')}`)).toContain('count must be a positive integer')
  })
})

describe('experimental', () => {
  const rows = `data = array.from(rows: [
    {_time: 1970-01-01T00:00:00Z, t: "a", x: 1.0, y: 10.0},
    {_time: 1970-01-01T00:00:01Z, t: "b", x: 2.0, y: 20.0},
]) |> group(columns: ["t"])
`
  test('group extends the key', async () => {
    const [{ tables }] = await runFlux(
      `${imports}${rows}data |> experimental.group(mode: "extend", columns: ["x"])`,
    )
    expect(tables.map(({ key }) => [...key.values()].join(' '))).toEqual(['a 1', 'b 2'])
    expect(
      await fluxError(`${imports}${rows}data |> experimental.group(mode: "by", columns: ["x"])`),
    ).toContain('invalid group mode "by"; experimental.group requires mode "extend"')
    const unknown = 'data |> experimental.group(mode: "extend", columns: ["q"])'
    expect(await fluxError(`${imports}${rows}${unknown}`)).toContain('unknown column "q"')
  })

  test('set, preview, unpivot', async () => {
    expect(await lines(`${rows}data |> experimental.set(o: {t: "c", z: 7}) |> group()`)).toEqual([
      '0 c 1 10 7',
      '1000000000 c 2 20 7',
    ])
    expect(
      await lines(`${rows}data |> group() |> experimental.preview(nrows: 1, ntables: 1)`),
    ).toHaveLength(1)
    expect(await lines(`${rows}data |> experimental.preview(ntables: 1)`)).toHaveLength(1)
    expect(await lines(`${rows}data |> experimental.unpivot() |> group()`)).toEqual([
      'a x 0 1',
      'a y 0 10',
      'b x 1000000000 2',
      'b y 1000000000 20',
    ])
    expect(
      await fluxError(
        `${imports}${rows}data |> experimental.unpivot(otherColumns: ["_time", "q"])`,
      ),
    ).toContain('unpivot could not find column named "q"')
  })

  test('chain runs the first stream to its end', async () => {
    expect(
      await lines(`${rows}experimental.chain(first: data, second: data |> group() |> limit(n: 1))`),
    ).toEqual(['0 a 1 10'])
    const failing = 'data |> map(fn: (r) => ({n: int(v: r.t)}))'
    expect(
      await fluxError(`${imports}${rows}experimental.chain(first: ${failing}, second: data)`),
    ).toContain('cannot convert string "a" to int')
  })
})
