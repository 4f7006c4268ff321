// The parts of dashboards that need no browser: which variables a text uses and how their values get into it,
// variables that need each other, the latest value, colours that can be read, forms of moments.

import { describe, expect, it } from 'vitest'
import { newProperties } from '../../ui/src/api/new-cells.js'
import type { Variable } from '../../ui/src/api/variable-types.js'
import {
  contrast,
  readable,
  scaleColours,
  textOn,
  thresholdAt,
} from '../../ui/src/chart/colours.js'
import { timeTick, valueText } from '../../ui/src/chart/format.js'
import { printBoardState, readBoardState } from '../../ui/src/dashboards/board-state.js'
import { ofKind } from '../../ui/src/dashboards/cell-kind.js'
import { momentText } from '../../ui/src/dashboards/moment-format.js'
import {
  resolveVariables,
  usedVariables,
  type VariableOptions,
  valuesOf,
} from '../../ui/src/dashboards/variable-values.js'
import { axisOf, queriesOf, withQuery } from '../../ui/src/dashboards/view-properties.js'
import { boundText } from '../../ui/src/query/language.js'
import { latestOf } from '../../ui/src/query/latest.js'
import { runRows } from '../../ui/src/query/points.js'
import { ColumnBuilder, type Result } from '../../ui/src/query/result.js'
import { variablesUsed, withValues } from '../../ui/src/query/variable-use.js'

const variable = (
  name: string,
  given: Variable['arguments'],
  selected: string[] = [],
): Variable => ({
  id: name,
  orgID: 'o',
  name,
  selected,
  arguments: given,
})
const asked = (name: string, query: string) =>
  variable(name, { type: 'query', values: { query, language: 'flux' } })

function resultOf(columns: Readonly<Record<string, readonly (number | string)[]>>): Result {
  const built = Object.entries(columns).map(([name, values]) => {
    const builder = new ColumnBuilder(name)
    for (const value of values) {
      if (typeof value === 'number') builder.number(value)
      else if (name.includes('time')) builder.moment(value)
      else builder.text(value)
    }
    return builder.finish()
  })
  const rowCount = built[0]?.values.length ?? 0
  const table = { name: '', tags: {}, columns: built, rowCount }
  return { tables: [table], rowCount, byteCount: 0, elapsedMs: 0 }
}

describe('variables in texts', () => {
  it('are found outside of texts and comments', () => {
    const flux = 'from(bucket: v.bucket) // v.no\n|> f(a: v["host"], b: "v.text ${v.inner}")'
    expect([...variablesUsed(flux, 'flux')].sort()).toEqual(['bucket', 'host', 'inner'])
    const sql = `SELECT '$no', "$no" FROM t WHERE a = $a -- $no`
    expect([...variablesUsed(sql, 'sql')]).toEqual(['a'])
  })

  it('are quoted, whatever they hold', () => {
    const values = { a: `x' OR 1=1 --`, timeFilter: 'mine' }
    const moments = { from: 0, to: 1000 }
    const base = { orgId: '', bucketId: '', moments, windowSeconds: 1, variables: values }
    const text = 'SELECT a FROM t WHERE $timeFilter AND a = $a'
    expect(boundText({ ...base, language: 'influxql', text })).toBe(
      "SELECT a FROM t WHERE time >= '1970-01-01T00:00:00.000Z' AND time < '1970-01-01T00:00:01.000Z'" +
        " AND a = 'x\\' OR 1=1 --'",
    )
    expect(boundText({ ...base, language: 'sql', text: 'a = $a' })).toBe("a = 'x'' OR 1=1 --'")
    expect(withValues('f(x: v.a, y: v.b)', 'flux', { a: 'say "${v.b}"' })).toBe(
      'f(x: "say \\"\\${v.b}\\"", y: v.b)',
    )
  })
})

describe('values of variables', () => {
  const list = [
    asked('host', 'hosts(v.bucket)'),
    variable('bucket', { type: 'map', values: { One: 'b1', Two: 'b2' } }, ['Two']),
    variable('other', { type: 'constant', values: ['x'] }),
  ]

  it('are asked for where texts use them, those first that others need', async () => {
    const used = usedVariables(list, [{ text: 'f(v.host)', language: 'flux' }])
    expect(used.map(({ name }) => name)).toEqual(['host', 'bucket'])
    const questions: object[] = []
    let known: readonly VariableOptions[] = []
    const ask = async ({ text }: { text: string }, variables: object) => {
      questions.push({ text, variables: { ...variables } })
      return resultOf({ _value: ['h1', 'h2', 'h1'] })
    }
    await resolveVariables(used, { host: 'h2' }, ask, (now) => {
      known = now
    })
    expect(questions).toEqual([{ text: 'hosts(v.bucket)', variables: { bucket: 'b2' } }])
    expect(valuesOf(known)).toEqual({ host: 'h2', bucket: 'b2' })
    await resolveVariables(used, { host: 'gone', bucket: 'One' }, ask, (now) => {
      known = now
    })
    expect(valuesOf(known)).toEqual({ host: 'h1', bucket: 'b1' })
  })

  it('tell what failed, and do not wait for each other in a circle', async () => {
    const circle = [asked('a', 'v.b'), asked('b', 'v.a')]
    let known: readonly VariableOptions[] = []
    const ask = async (): Promise<Result> => {
      throw new Error('no such bucket')
    }
    await resolveVariables(circle, {}, ask, (now) => {
      known = now
    })
    expect(known.map(({ failure }) => failure)).toEqual(['no such bucket', 'no such bucket'])
    expect(valuesOf(known)).toEqual({ a: '', b: '' })
  })
})

it('shows the latest value, a text where there is no number', () => {
  const times = ['2026-01-01T00:00:00Z', '2026-01-01T00:01:00Z', '2026-01-01T00:02:00Z']
  const some = resultOf({ _time: times, _value: [1, 2, Number.NaN] })
  expect(latestOf(some)).toEqual({ text: '2', value: 2 })
  const later = resultOf({ _time: times.slice(0, 1), _value: [9] })
  expect(latestOf({ ...some, tables: [...some.tables, ...later.tables] })?.value).toBe(2)
  expect(latestOf(resultOf({ state: ['on', 'off'] }))).toEqual({ text: 'off', value: undefined })
  expect(latestOf(resultOf({}))).toBeUndefined()
})

it('joins equal values over time to runs', () => {
  const times = ['00', '01', '02', '03'].map((minute) => `2026-01-01T00:${minute}:00Z`)
  const result = resultOf({ _time: times, _value: ['a', 'a', 'b', 'a'] })
  const start = Date.parse(times[0])
  const { rows } = runRows(result, [], '_value', start + 240_000)
  expect(rows[0].runs.map(({ from, to, value }) => [from - start, to - start, value])).toEqual([
    [0, 120_000, 'a'],
    [120_000, 180_000, 'b'],
    [180_000, 240_000, 'a'],
  ])
})

describe('colours', () => {
  it('lie between the stored ones, and follow thresholds', () => {
    expect(scaleColours(['#000000', '#ffffff'], 3)).toEqual(['#000000', '#808080', '#ffffff'])
    expect(scaleColours(['#ff0000', 'nonsense'], 2)).toEqual(['#ff0000', '#ff0000'])
    const thresholds = [10, 0, 20].map((value) => ({ value, colour: `c${value}` }))
    expect([-5, 0, 15, 99].map((value) => thresholdAt(thresholds, value)?.colour)).toEqual([
      'c0',
      'c0',
      'c10',
      'c20',
    ])
    expect(thresholdAt([], 1)).toBeUndefined()
  })

  it('are made readable on both pages', () => {
    for (const colour of ['#00c9ff', '#ffffff', '#000000', '#f2e9c2', '#545667']) {
      for (const ground of ['#ffffff', '#16181d']) {
        expect(contrast(readable(colour, ground, 4.5), ground)).toBeGreaterThanOrEqual(4.5)
      }
      expect(contrast(textOn(colour), colour)).toBeGreaterThanOrEqual(4.4)
    }
    expect(readable('#0b6e5f', '#ffffff', 4.5)).toBe('#0b6e5f')
  })
})

it('writes values and moments as cells say', () => {
  expect(valueText(25, { digits: 1, suffix: ' °C' })).toBe('25.0 °C')
  expect(valueText(1536, { base: '2', digits: 1 })).toBe('1.5 Ki')
  const at = new Date(2026, 2, 5, 15, 4, 9, 7)
  expect(momentText(at.getTime(), 'YYYY-MM-DD HH:mm:ss.sss')).toBe('2026-03-05 15:04:09.007')
  expect(momentText(at.getTime(), 'MMM D, YY hh:mm A')).toBe('Mar 5, 26 03:04 PM')
  expect(timeTick(at.getTime(), 60_000)).toBe('15:04')
  expect(timeTick(new Date(2026, 2, 5).getTime(), 3_600_000)).toMatch(/5/)
})

it('keeps what it does not know of a cell, and reads what others left out', () => {
  const queries = [{ text: 'a', mine: 1 }]
  const before = { ...newProperties('xy', queries), theirs: { a: 1 } }
  const after = withQuery(before, 0, { text: 'b', language: 'sql' })
  expect(after).toMatchObject({
    theirs: { a: 1 },
    queries: [{ text: 'b', mine: 1, language: 'sql' }],
  })
  expect(queriesOf({})).toEqual([])
  expect(queriesOf({ queries: [null, { text: 5 }] })).toEqual([
    { text: '', language: 'flux', bucket: undefined },
    { text: '', language: 'flux', bucket: undefined },
  ])
  expect(axisOf({ axes: { y: { bounds: ['0', ''], suffix: '%' } } }, 'y')).toEqual({
    label: '',
    format: { prefix: '', suffix: '%' },
    low: 0,
    high: undefined,
  })
  const number = ofKind({ ...before, note: 'n', suffix: '%' }, 'single-stat')
  expect(number).toMatchObject({
    type: 'single-stat',
    note: 'n',
    suffix: '%',
    queries,
  })
})

it('keeps range, refresh and choices in a link', () => {
  const state = readBoardState('?r=6h&refresh=30&v.host=a%26b&v.bucket=x')
  expect(state).toEqual({
    range: { kind: 'past', duration: '6h' },
    refreshSeconds: 30,
    chosen: { host: 'a&b', bucket: 'x' },
  })
  expect(readBoardState(printBoardState(state))).toEqual(state)
  expect(readBoardState('?r=nonsense&refresh=-1')).toMatchObject({ refreshSeconds: 0 })
})
