// Joins, by script and against the plain definition: every pair of rows compared.

import { describe, expect, test } from 'vitest'
import { CellsBuilder } from '../../src/flux/table/cells-builder.js'
import { type JoinMethod, joinedRows, noRow } from '../../src/flux/table/join-rows.js'
import { seededRandom } from '../../src/platform/random.js'
import type { Cell, Chunk } from '../../src/query/table.js'
import { fluxError, runFlux, runRows } from './run-flux.js'

const data = `import "array"
import joins "join"
import "experimental"
import "internal/debug"
left = array.from(rows: [
    {_time: 2020-01-01T00:00:00Z, id: "a", v: 1},
    {_time: 2020-01-01T00:00:01Z, id: "b", v: 2},
    {_time: 2020-01-01T00:00:02Z, id: "b", v: 3},
])
right = array.from(rows: [
    {_time: 2020-01-01T00:00:00Z, id: "b", w: 10.0},
    {_time: 2020-01-01T00:00:02Z, id: "c", w: 20.0},
    {_time: 2020-01-01T00:00:05Z, id: "b", w: 30.0},
])
`

async function rows(script: string): Promise<string[]> {
  const found = await runRows(`${data}${script}`)
  return found.map((row) => Object.values(row).map(String).join(' '))
}

function joined(method: string): string {
  return `joins.${method}(left: left, right: right, on: (l, r) => l.id == r.id,
    as: (l, r) => ({id: if exists l.id then l.id else r.id, v: l.v, w: r.w}))`
}

describe('join.tables', () => {
  test('the four methods', async () => {
    const both = ['b 2 10', 'b 2 30', 'b 3 10', 'b 3 30']
    expect(await rows(joined('inner'))).toEqual(both)
    expect(await rows(joined('left'))).toEqual(['a 1 null', ...both])
    expect(await rows(joined('right'))).toEqual([...both, 'c null 20'])
    expect(await rows(joined('full'))).toEqual(['a 1 null', ...both, 'c null 20'])
  })

  test('by time', async () => {
    const as = 'as: (l, r) => ({l with w: r.w})'
    expect(
      await rows(`joins.time(left: left, right: right, ${as}) |> keep(columns: ["v", "w"])`),
    ).toEqual(['1 10', '3 20'])
  })

  test('tables meet by their key, and the key stays', async () => {
    const grouped = (side: string) => `(${side} |> group(columns: ["id"]))`
    const call = (as: string) => `joins.full(left: ${grouped('left')}, right: ${grouped('right')},
      on: (l, r) => l._time == r._time, as: (l, r) => ${as})`
    const [{ tables }] = await runFlux(`${data}${call('({id: l.id, v: l.v, w: r.w})')}`)
    const shown = tables.map(({ key, rows }) => [
      key.get('id'),
      ...rows.map((row) => `${row.get('v')} ${row.get('w')}`),
    ])
    expect(shown.sort()).toEqual([
      ['a', '1 null'],
      ['b', 'null 10', '2 null', '3 null', 'null 30'],
      ['c', 'null 20'],
    ])
    expect(await fluxError(`${data}${call('({v: l.v, w: r.w})')}`)).toContain(
      "join cannot modify group key: output record has a missing or invalid value for column 'id:string'",
    )
  })

  test('conditions that cannot be used', async () => {
    const call = (on: string) =>
      fluxError(
        `${data}joins.inner(left: left, right: right, on: ${on}, as: (l, r) => ({l with w: r.w}))`,
      )
    const start =
      'error in join function - some expressions are not yet supported in the `on` parameter: '
    expect(await call('(l, r) => l.id == r.id or l._time == r._time')).toContain(
      `${start}unsupported operator in join predicate: or`,
    )
    expect(await call('(l, r) => l.id != r.id')).toContain(
      `${start}unsupported operator in join predicate: !=`,
    )
    expect(await call('(l, r) => l.id == "b"')).toContain(
      `${start}right side of comparison is not a member expression`,
    )
    expect(await call('(l, r) => l.id == l.id')).toContain('may not reference the same object')
  })

  test('columns that are not there', async () => {
    const missing = `joins.inner(left: left |> debug.opaque(), right: right, on: (l, r) => l.x == r.id,
      as: (l, r) => ({w: r.w}))`
    expect(await fluxError(`${data}${missing}`)).toContain(
      "cannot set join columns in left table stream: table is missing column 'x'",
    )
    const label = `joins.inner(left: left, right: right |> debug.opaque(), on: (l, r) => l.id == r.id,
      as: (l, r) => ({l with x: r.x}))`
    expect(await fluxError(`${data}${label}`)).toContain(
      'error preparing right side of join: table is missing label x',
    )
    const empty = `joins.left(left: left, right: right |> filter(fn: (r) => false), on: (l, r) => l.id == r.id,
      as: (l, r) => ({l with w: r.w}))`
    expect(await fluxError(`${data}${empty}`)).toContain(
      'error preparing right side of join: cannot join on an empty table',
    )
  })
})

describe('join', () => {
  test('columns of both sides get the name of their stream', async () => {
    const [{ tables }] = await runFlux(`${data}join(tables: {a: left, b: right}, on: ["id"])`)
    expect(tables[0].columns.map(({ name }) => name)).toEqual([
      '_time_a',
      '_time_b',
      'id',
      'v',
      'w',
    ])
    expect(tables[0].rows).toHaveLength(4)
  })

  test('keys are united, tables that differ in a joined column do not meet', async () => {
    const [{ tables }] = await runFlux(`${data}
l = left |> group(columns: ["id", "v"])
r = right |> group(columns: ["id"])
join(tables: {a: l, b: r}, on: ["id"])`)
    expect(
      tables.map(({ key, rows }) => `${key.get('id')} ${key.get('v')} ${rows.length}`),
    ).toEqual(['b 2 2', 'b 3 2'])
  })

  test('what it refuses', async () => {
    expect(await fluxError(`${data}join(tables: {a: left, b: right}, on: [])`)).toContain(
      "at least one column in 'on' column list is required",
    )
    expect(
      await fluxError(`${data}join(tables: {a: left, b: right}, on: ["id"], method: "left")`),
    ).toContain('left is not a valid join type')
    expect(await fluxError(`${data}join(tables: {a: left}, on: ["id"])`)).toContain(
      'joins currently must only have two parents',
    )
  })

  test('experimental.join: by time and key', async () => {
    const call =
      'experimental.join(left: left, right: right, fn: (left, right) => ({left with w: right.w}))'
    expect(await rows(`${call} |> keep(columns: ["v", "w"])`)).toEqual(['1 10', '3 20'])
  })
})

describe('pairs of rows', () => {
  function chunkOf(values: readonly (Cell | null)[]): Chunk {
    const builder = new CellsBuilder('float')
    for (const value of values) builder.push(value)
    return { rowCount: values.length, columns: [builder.finish()] }
  }

  function naive(
    left: readonly (Cell | null)[],
    right: readonly (Cell | null)[],
    method: JoinMethod,
  ): string[] {
    const pairs: string[] = []
    const matched = new Set<number>()
    for (const [i, a] of left.entries()) {
      let isMatched = false
      for (const [j, b] of right.entries()) {
        if (a === null || a !== b) continue
        pairs.push(`${i} ${j}`)
        matched.add(j)
        isMatched = true
      }
      if (!isMatched && (method === 'left' || method === 'full')) pairs.push(`${i} -`)
    }
    if (method === 'right' || method === 'full') {
      for (const j of right.keys()) if (!matched.has(j)) pairs.push(`- ${j}`)
    }
    return pairs.sort()
  }

  test('random rows, against every pair compared', () => {
    const seed = 20_240_607
    const random = seededRandom(seed)
    for (let round = 0; round < 200; round++) {
      const side = () =>
        Array.from({ length: random.below(30) }, () => {
          const value = random.below(12)
          return value === 0 ? null : value === 1 ? Number.NaN : value - 6
        })
      const [left, right] = [side(), side()]
      for (const method of ['inner', 'left', 'right', 'full'] as const) {
        const found: string[] = []
        for (const rows of joinedRows(chunkOf(left), chunkOf(right), [[0, 0]], method)) {
          for (let i = 0; i < rows.left.length; i++) {
            const text = (row: number) => (row === noRow ? '-' : String(row))
            found.push(`${text(rows.left[i])} ${text(rows.right[i])}`)
          }
        }
        expect(found.sort(), `seed ${seed}, round ${round}, ${method}`).toEqual(
          naive(left, right, method),
        )
      }
    }
  })

  test('more pairs than a batch holds', () => {
    const same = chunkOf(new Array<number>(200).fill(1))
    let count = 0
    for (const { left } of joinedRows(same, same, [[0, 0]], 'inner')) count += left.length
    expect(count).toBe(40_000)
  })
})
