// Which scripts are told to read and do nothing else: those that write are found by any way that leads to a function
// that does.

import { expect, test } from 'vitest'
import { parseFlux } from '../syntax/parser.js'
import { onlyReads } from './only-reads.js'

const read = 'from(bucket: "b") |> range(start: 0)'

test.each([
  [read, true],
  [`import "math" ${read} |> map(fn: (r) => ({r with v: math.abs(x: r._value)}))`, true],
  [`import "influxdata/influxdb/schema" schema.tagValues(bucket: "b", tag: "to-be")`, true],
  [`${read} |> to(bucket: "c")`, false],
  [`import i "influxdata/influxdb" ${read} |> i.wideTo(bucket: "c")`, false],
  [`import i "influxdata/influxdb" f = i["to"] ${read} |> f(bucket: "c")`, false],
  [`import "http" ${read}`, false],
  [`import "csv" csv.from(url: "http://a")`, false],
  [`import "experimental" ${read} |> experimental.to(bucket: "c")`, false],
  ['import "no/such/package"', false],
])('%s', (script, expected) => {
  expect(onlyReads([parseFlux(script)])).toBe(expected)
})
