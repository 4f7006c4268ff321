// The scripts of checks: what becomes of the query that somebody wrote, and how levels, names and
// numbers are put beside it.

import { expect, it } from 'vitest'
import {
  type CheckDefinition,
  checkScript,
  floatText,
} from '../../src/catalog/monitoring/check-script.js'
import { scriptTools } from '../../src/flux/tools/script-tools.js'

const id = '00000000000000aa'

function threshold(text: string, fields: CheckDefinition['body']['fields'] = {}): string {
  const body = { type: 'threshold', query: { text }, fields: { every: '5m', ...fields } } as const
  return checkScript(scriptTools, { id, name: 'n', body })
}

/** The steps of the query as the script has them. */
function dataOf(text: string): string {
  const script = threshold(text)
  return script.slice(script.indexOf('data ='), script.indexOf('\n\noption task'))
}

const field = 'filter(fn: (r) => r._field == "f")'

it.each([
  ['start and stop', `a() |> range(start: -1d, stop: now()) |> ${field}`, 'range(start: -5m)'],
  ['stop first', `a() |> range(stop: f(x: [1, 2]), start: t) |> ${field}`, 'range(start: -5m)'],
  ['no start', `a() |> range(stop: 1) |> ${field}`, 'range()'],
  ['a package', `a() |> p.range(start: 1, stop: 2) |> ${field}`, 'p.range(start: -5m, stop: 2)'],
  ['windows', `a() |> ${field} |> aggregateWindow(every: v.p)`, '(every: 5m, createEmpty: false)'],
  ['no arguments', `a() |> ${field} |> aggregateWindow()`, 'aggregateWindow(createEmpty: false)'],
  ['empty windows', `a() |> ${field} |> aggregateWindow(createEmpty: true)`, '(createEmpty: true)'],
  ['a value inside', `a() |> f(start: g(every: 1m)) |> ${field}`, '|> f(start: -5m) |>'],
  ['a quoted key', `a() |> f("every": 1m) |> ${field}`, 'f("every": 5m)'],
])('changes times: %s', (_, query, expected) => {
  expect(dataOf(query)).toContain(expected)
})

it('leaves the rest as it was written, but for comments and line breaks', () => {
  const query = `// what it is about
from(bucket: "a  // b") // |> not this
  |> range(
    start: v.timeRangeStart,
    stop: v.timeRangeStop
  )
  |> filter(fn: (r) => r["_measurement"] =~ /c  pu\\/x/ and exists r.h)
  |> filter(fn: (r) => r["_field"] == "the field")
  |> map(fn: (r) => ({r with x: if r.a > 1 then 2 else 3}))
  |> yield(name: "mean")`
  expect(dataOf(query)).toBe(`data =
    from(bucket: "a  // b")
        |> range(start: -5m)
        |> filter(fn: (r) => r["_measurement"] =~ /c  pu\\/x/ and exists r.h)
        |> filter(fn: (r) => r["_field"] == "the field")
        |> map(fn: (r) => ({r with x: if r.a > 1 then 2 else 3}))`)
})

it('keeps imports, options and variables before the query', () => {
  const query = `package main
import "math"
import "influxdata/influxdb/v1"
option v = {bucket: "b"}
pattern = /a.*/
f = (x) => x
f(x: 1) |> ${field}`
  expect(threshold(query)).toMatch(
    /^import "math"\nimport "influxdata\/influxdb\/v1"\nimport "influxdata\/influxdb\/monitor"\n\n/,
  )
  expect(threshold(query)).toContain(
    `option v = {bucket: "b"}\n\npattern = /a.*/\nf = (x) => x\n\ndata = f(x: 1) |> ${field}\n`,
  )
})

it.each([
  ['', 'expected a query that ends in its one result, received 0'],
  ['a = 1', 'expected a query that ends in its one result, received 0'],
  ['a()\nb()', 'expected a query that ends in its one result, received 2'],
  ['a() |> b(', 'error @1:8-1:10: expected RPAREN, got EOF'],
  ['a(])', 'error @1:3-1:4: invalid expression @1:3-1:4: ]'],
  ['a("x)', 'error @1:1-1:6: expected RPAREN, got EOF'],
  ['a() |> |> b()', 'error @1:8-1:10: pipe destination must be a function call'],
  ['a()', 'expected a single field but got: []'],
  ['a() |> b(f: r._field =~ /x/)', 'expected a single field but got: []'],
])('refuses the query %j', (query, message) => {
  expect(() => threshold(query)).toThrow(message)
})

it('gives every level one function', () => {
  const script = threshold(`a() |> ${field}`, {
    statusMessageTemplate: `"\${r._level}"\n`,
    tags: [
      { key: 'a b', value: `\${x}` },
      { key: 'in', value: 'v' },
      { key: '1', value: 'v' },
    ],
    thresholds: [
      { type: 'greater', level: 'CRIT', value: 1e21 },
      { type: 'lesser', level: 'CRIT', value: -0.5 },
      { type: 'range', level: 'OK', min: 1e-7, max: 2, within: false },
    ],
  })
  expect(script).toContain(`
check = {
    _check_id: "${id}",
    _check_name: "n",
    _type: "threshold",
    tags: {"a b": "\\\${x}", "in": "v", "1": "v"},
}
crit = (r) => r["f"] > 1000000000000000000000.0 or r["f"] < -0.5
ok = (r) => r["f"] < 0.0000001 or r["f"] > 2.0
messageFn = (r) =>
    "\\"\${r._level}\\"
"

data |> v1["fieldsAsCols"]() |> monitor["check"](data: check, messageFn: messageFn, crit: crit, ok: ok)
`)
})

it('fills in what a deadman check does not say, and drops windows', () => {
  const query = { text: 'a() |> range(start: -1h) |> aggregateWindow(every: 1m) |> last()' }
  const body = { type: 'deadman', query, fields: { every: '1m', level: 'CRIT' } } as const
  const script = checkScript(scriptTools, { id, name: 'n', body })
  expect(script).toContain('data = a() |> range(start: -10m) |> last()\n')
  expect(script).toContain('experimental["subDuration"](from: now(), d: 90s)')
})

it.each([
  [0, '0.0'],
  [-0.1, '-0.1'],
  [12.5, '12.5'],
  [1.5e300, `15${'0'.repeat(299)}.0`],
  [5e-324, `0.${'0'.repeat(323)}5`],
  [-1.25e-8, '-0.0000000125'],
  [1.7976931348623157e308, `17976931348623157${'0'.repeat(292)}.0`],
])('writes %d without an exponent', (value, text) => {
  expect(floatText(value)).toBe(text)
  expect(Number(text)).toBe(value)
})
