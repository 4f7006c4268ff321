// Names that a text has and the bucket has not are doubted where they stand, with what was probably meant; whatever
// may come from elsewhere is left alone.

import { expect, it } from 'vitest'
import { nearestName } from '../../ui/src/query/nearest-name.js'
import { unknownFlux, unknownInfluxql } from '../../ui/src/query/unknown-names.js'

const schema: Readonly<Record<string, readonly string[]>> = {
  cpu: ['usage_user', 'usage_system', 'host'],
  room: ['temperature', 'host'],
}
const known = {
  measurements: async () => Object.keys(schema),
  within: async (measurement: string) => schema[measurement],
}
const told = (findings: readonly { line: number; column: number; message: string }[]) =>
  findings.map(({ line, column, message }) => `${line}:${column} ${message}`)

it.each([
  ['SELECT mean(usage_user) FROM cpu WHERE time > 0 GROUP BY time(1m), host', []],
  [
    'SELECT mean("usage_usr")\nFROM cpu GROUP BY hots',
    [
      '1:13 no field or tag of this name in cpu: did you mean usage_user?',
      '2:19 no field or tag of this name in cpu: did you mean host?',
    ],
  ],
  ['SELECT usage_user FROM cpuu', ['1:24 no such measurement yet: did you mean cpu?']],
  ['SELECT pressure FROM cpu, room', ['1:8 no field or tag of this name in cpu, room']],
  ['SELECT temperature, usage_user FROM cpu, room', []],
  [
    "SELECT * FROM cpu WHERE hst = 'a'",
    ['1:25 no field or tag of this name in cpu: did you mean host?'],
  ],
  ['SELECT mean(x) FROM (SELECT mean(usage_user) AS x FROM cpu)', []],
  ['SELECT x FROM other..cpu; SELECT x FROM /c.*/; SHOW TAG KEYS FROM nothing', []],
])('InfluxQL: %s', async (text, expected) => {
  expect(told(await unknownInfluxql(text, known))).toEqual(expected)
})

it.each([
  [
    'from(bucket: "b") |> filter(fn: (r) => r._measurement == "cpu" and r._field == "usage_user")',
    [],
  ],
  [
    'from(bucket: "b")\n  |> filter(fn: (r) => r["_measurement"] == "cpu" and r._field == "usage_sytem")',
    ['2:67 no field or tag of this name in cpu: did you mean usage_system?'],
  ],
  [
    'from(bucket: "b") |> filter(fn: (r) => r._measurement == "rom")',
    ['1:58 no such measurement yet: did you mean room?'],
  ],
  ['from(bucket: "a") from(bucket: "b") |> filter(fn: (r) => r._measurement == "rom")', []],
  ['x = r._field == "y"', []],
])('Flux: %s', async (text, expected) => {
  expect(told(await unknownFlux(text, known))).toEqual(expected)
})

it('names what is near, and nothing that is far', () => {
  const names = ['usage_user', 'usage_idle', 'Host', 'a', 'b']
  expect(nearestName('useage_user', names)).toBe('usage_user')
  expect(nearestName('host', names)).toBe('Host')
  expect(nearestName('hsot', names)).toBe('Host')
  expect(nearestName('temperature', names)).toBeUndefined()
})
