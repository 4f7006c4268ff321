// Texts that the builder can show are read into its model: random models come back from each language; spaces, case of
// words and needless quotes do not matter; whatever says anything else is left alone.

import { expect, it } from 'vitest'
import { seededRandom } from '../../src/platform/random.js'
import { aggregates, type Model } from '../../ui/src/query/model.js'
import { printModel } from '../../ui/src/query/print.js'
import { readModel, strangePart } from '../../ui/src/query/read.js'

const names = [
  'cpu',
  'say "hi"',
  "it's",
  'back\\slash',
  '${v.x}',
  'ä ☂',
  'from',
  'time($window)',
  'a b',
]

it('reads what it printed, whatever names and values are', () => {
  const random = seededRandom(5)
  const some = (least: number) =>
    names
      .filter(() => random.below(3) === 0)
      .slice(0, 4)
      .concat(names.slice(0, least))
      .filter((name, i, all) => all.indexOf(name) === i)
  for (let round = 0; round < 300; round++) {
    const model: Model = {
      bucket: random.pick(names),
      measurement: random.pick(names),
      fields: some(1),
      filters: some(0).map((tag) => ({ tag, values: some(1) })),
      aggregate: random.pick(aggregates),
      groups: some(0),
    }
    for (const language of ['influxql', 'flux', 'sql'] as const) {
      const text = printModel(model, language)
      const read = readModel(text, language, model.bucket)
      // Rows of SQL without a function do not tell tags from fields.
      if (language === 'sql' && model.aggregate === 'none') expect(read).toBeUndefined()
      else expect(read, text).toEqual(model)
    }
  }
})

const model: Model = {
  bucket: 'b',
  measurement: 'cpu',
  fields: ['usage'],
  filters: [{ tag: 'host', values: ['a', 'b'] }],
  aggregate: 'mean',
  groups: ['host'],
}

it.each([
  [
    'influxql',
    `select mean(usage) as usage from cpu where $timeFilter and (host = 'a' or host = 'b')
      group by time($window), host fill(none)`,
  ],
  [
    'flux',
    `from(bucket: "b") |> range(start: v.timeRangeStart, stop: v.timeRangeStop)
      |> filter(fn: (r) => r["_measurement"] == "cpu")
      |> filter(fn: (r) => r["_field"] == "usage") |> filter(fn: (r) => r.host == "a" or r.host == "b")
      |> group(columns: ["_measurement", "_field", "host"])
      |> aggregateWindow(every: v.windowPeriod, fn: mean, createEmpty: false, timeSrc: "_start")`,
  ],
  [
    'sql',
    `select date_bin($window, time) as time, host, avg(usage) as usage from cpu where time >= $from and time < $to
      and host in ('a', 'b') group by 1, host order by 1`,
  ],
] as const)('reads %s as people write it', (language, text) => {
  expect(readModel(text, language, 'b')).toEqual(model)
})

it.each([
  [
    'influxql',
    "SELECT mean(usage) AS usage FROM cpu WHERE $timeFilter AND host = 'a' OR host = 'b' " +
      'GROUP BY time($window) fill(none)',
  ],
  ['influxql', 'SELECT mean(usage) FROM cpu WHERE $timeFilter GROUP BY time(1h)'],
  [
    'influxql',
    'SELECT mean(usage) AS usage FROM cpu WHERE $timeFilter GROUP BY time($window) fill(none) LIMIT 5',
  ],
  [
    'influxql',
    'SELECT mean(usage) AS usage, max(idle) AS idle FROM cpu WHERE $timeFilter GROUP BY time($window) fill(none)',
  ],
  ['influxql', 'SHOW MEASUREMENTS'],
  ['influxql', "SELECT 'unfinished"],
  ['flux', 'from(bucket: "b") |> range(start: -1h)'],
  ['flux', 'join(tables: {a: a, b: b}, on: ["host"])'],
  ['sql', 'SELECT a.time FROM a JOIN b USING (time)'],
  [
    'sql',
    'SELECT date_bin($window, time) AS time, avg(usage) AS usage FROM cpu ' +
      'WHERE time >= $from AND time < $to GROUP BY 1 ORDER BY 1 LIMIT 3',
  ],
] as const)('leaves alone, in %s: %s', (language, text) => {
  expect(readModel(text, language, 'b')).toBeUndefined()
})

it('names what stands in the way', () => {
  const text = 'SELECT mean(usage) AS usage FROM cpu WHERE $timeFilter GROUP BY time($window)'
  expect(strangePart(`${text} fill(none)`, 'influxql', 'b')).toBeUndefined()
  expect(strangePart(`${text} fill(none) LIMIT 5`, 'influxql', 'b')).toBe('LIMIT 5')
  expect(strangePart(`${text} fill(0)`, 'influxql', 'b')).toBe('0)')
  expect(strangePart('SHOW TAG KEYS', 'influxql', 'b')).toBe('SHOW TAG KEYS')
  expect(strangePart('from(bucket: "b") |> join(a)', 'flux', 'b')).toBe('|> join(a)')
  expect(strangePart('SELECT a.time FROM a', 'sql', 'b')).toBe('a.time FROM a')
})
