// Where a script writes to, as its text says it: by name, by a name for a text, by id, in both languages that say it.

import { expect, it } from 'vitest'
import { fluxTargets, influxqlTargets } from '../../ui/src/query/write-targets.js'

it.each([
  ['from(bucket: "a") |> range(start: -1h) |> to(bucket: "b", org: "o")', [{ bucket: 'b' }]],
  ['from(bucket: "a") |> range(start: -1h)', []],
  ['to(tables: from(bucket: "a") |> range(start: -1h), bucket: "b")', [{ bucket: 'b' }]],
  ['target = "b"\nfrom(bucket: "a") |> to(bucket: target)', [{ bucket: 'b' }]],
  ['bucket = "b"\nfrom(bucket: "a") |> to(bucket)', [{ bucket: 'b' }]],
  ['from(bucket: "a") |> to(bucketID: "0123456789abcdef")', [{ bucketId: '0123456789abcdef' }]],
  [
    'import "experimental"\nimport "influxdata/influxdb"\ndata = from(bucket: "a")\n' +
      'data |> experimental.to(bucket: "b")\ndata |> influxdb.wideTo(bucket: "c")\ndata |> to(bucket: "b")',
    [{ bucket: 'b' }, { bucket: 'c' }],
  ],
  // Computed, elsewhere, or no longer a script.
  ['from(bucket: "a") |> to(bucket: "b" + "c")', []],
  ['from(bucket: "a") |> to(bucket: "b", host: "http://elsewhere")', []],
  ['import "mqtt"\nfrom(bucket: "a") |> mqtt.to(broker: "tcp://x")', []],
  ['from(bucket: "a") |> to(bucket: "b', []],
])('%s', (text, expected) => {
  expect(fluxTargets(text)).toEqual(expected)
})

it.each([
  ['SELECT mean(f) INTO m_1h FROM m GROUP BY time(1h)', [{ measurement: 'm_1h' }]],
  [
    'SELECT f INTO "d"."p"."n" FROM m; SELECT f INTO d..n FROM m',
    [
      { bucket: 'd/p', measurement: 'n' },
      { bucket: 'd', measurement: 'n' },
    ],
  ],
  ['SELECT f INTO "d"."p".:MEASUREMENT FROM /m/', [{ bucket: 'd/p' }]],
  ['SELECT f FROM m', []],
  ['SELECT f INTO', []],
])('%s', (text, expected) => {
  expect(influxqlTargets(text)).toEqual(expected)
})
